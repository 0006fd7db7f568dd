/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weights.h - how many samples of an event had which weight, in buckets
 *
 * The buckets are those of KFLAME_BUCKETS: fine where weights are small, coarse where they are large. So a
 * fixed number of them has each weight with the same relative error.
 */
#ifndef KF_WEIGHTS_H
#define KF_WEIGHTS_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include <kflame.h>

/**
 * struct kf_weights - the weights of samples of one group, KFLAME_GROUP_*
 * @sum:	of all weights
 * @longest:	the largest one
 * @count:	samples by bucket
 *
 * Ownership: the session's, from START to its destruction.
 * Context: written on its CPU with interrupts off. Readers may see counts of different instants while the
 * session runs.
 */
struct kf_weights {
	u64 sum;
	u64 longest;
	u64 count[KFLAME_BUCKETS];
};

/* The bucket of a weight */
static inline u32 kf_weight_bucket(u64 weight)
{
	const u32 exact = 1U << KFLAME_BUCKET_BITS;
	u32 shift;

	BUILD_BUG_ON(KFLAME_BUCKETS != (64 - KFLAME_BUCKET_BITS + 1) << KFLAME_BUCKET_BITS);
	if (weight < exact)
		return weight;
	shift = fls64(weight) - 1 - KFLAME_BUCKET_BITS;
	return (shift << KFLAME_BUCKET_BITS) + (u32)(weight >> shift);
}

/* The group of a sample; @context: KFLAME_CTX_*, maybe with KFLAME_CTX_STILL */
static inline u32 kf_weight_group(u32 context)
{
	context &= ~KFLAME_CTX_STILL;
	return context == KFLAME_CTX_RUNNABLE || context == KFLAME_CTX_PREEMPTED ? KFLAME_GROUP_CPU :
										   KFLAME_GROUP_EVENT;
}

/* Add the weight of a sample. @groups: KFLAME_NR_GROUPS of them */
static inline void kf_weights_add(struct kf_weights *groups, u32 context, u64 weight)
{
	struct kf_weights *w = &groups[kf_weight_group(context)];

	w->count[kf_weight_bucket(weight)]++;
	w->sum += weight;
	if (weight > w->longest)
		w->longest = weight;
}

#endif
