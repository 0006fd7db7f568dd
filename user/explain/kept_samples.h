/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_samples.h - keeps samples during a recording, with all that the module says of them
 */
#ifndef KFLAME_EXPLAIN_KEPT_SAMPLES_H
#define KFLAME_EXPLAIN_KEPT_SAMPLES_H

#include "device/ring.h"

#define KEPT_BYTES	(64u << 20)	/* at most; later samples are not kept */

/** struct kept_sample - the copy of its stack, and the module's explanation */
struct kept_sample {
	struct kflame_rec_ustack *copy;
	struct kflame_rec_explain *why;
};

/** struct kept_samples - samples in the order of their arrival; all zero is none */
struct kept_samples {
	struct kept_sample *all;
	size_t nr, cap;
	uint64_t bytes;
	struct kflame_rec_ustack **open;	/* by CPU: a copy whose explanation did not arrive yet */
	size_t nr_open, cap_open;
	bool failed;				/* memory ran out */
};

/** kept_samples_listen() - a ring_fn; @ctx is the struct kept_samples */
void kept_samples_listen(void *ctx, size_t cpu, const struct kflame_rec_ustack *copy,
			 const struct kflame_rec_explain *why);

/** kept_samples_sort() - sorts them by time */
void kept_samples_sort(struct kept_samples *k);

void kept_samples_exit(struct kept_samples *k);

#endif
