/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_window.h - recent samples, as a decaying sum
 *
 * A profile counts from the beginning of the recording.  Here, each refresh adds the new samples, and takes
 * an eighth off the older ones. With a refresh each second, 2 % of a sample's weight remain after 30
 * seconds.
 */
#ifndef KFLAME_TOP_LIVE_WINDOW_H
#define KFLAME_TOP_LIVE_WINDOW_H

#include "profile/profile.h"

/** struct live_sum - total and recent weight of one count; private */
struct live_sum {
	uint64_t seen_samples, seen_ns, seen_late;
	uint64_t samples, ns, late;	/* recent weight; samples in units of 1/1024 */
};

/**
 * struct live_window - recent samples; all zero is empty
 * @counts:	copies of the profile's counts, with recent weights
 * @nr:		number of counts
 * @samples:	number of new samples at the last refresh
 */
struct live_window {
	struct profile_count *counts;
	size_t nr, cap;
	uint64_t samples;
	struct live_sum *sums;		/* by index of the count in the profile */
	size_t nr_sums, cap_sums;
};

/** live_window_update() - does one refresh.  Return: 0 or -ENOMEM */
int live_window_update(struct live_window *w, const struct profile *p);

/** live_window_exit() - frees the contents, and leaves the window empty */
void live_window_exit(struct live_window *w);

#endif
