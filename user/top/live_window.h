/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_window.h - what was counted lately
 *
 * A profile counts from the beginning on.  Here each refresh adds what is new, and of what is older
 * an eighth goes: after half a minute of seconds 2 % are left.
 */
#ifndef KFLAME_TOP_LIVE_WINDOW_H
#define KFLAME_TOP_LIVE_WINDOW_H

#include "profile/profile.h"

/** struct live_sum - a count's, so far and lately; private */
struct live_sum {
	uint64_t seen_samples, seen_ns, seen_late;
	uint64_t samples, ns, late;	/* lately; samples in 1/1024 */
};

/**
 * struct live_window - all zero is an empty one
 * @counts:	what the profile counted lately: copies of its counts
 * @nr:		how many
 * @samples:	sum of what was new at the last refresh
 */
struct live_window {
	struct profile_count *counts;
	size_t nr, cap;
	uint64_t samples;
	struct live_sum *sums;		/* by the profile's counts */
	size_t nr_sums, cap_sums;
};

/** live_window_update() - a refresh.  Return: 0 or -ENOMEM */
int live_window_update(struct live_window *w, const struct profile *p);

/** live_window_exit() - frees what is in it, and makes it empty */
void live_window_exit(struct live_window *w);

#endif
