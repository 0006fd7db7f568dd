/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - samples whose stacks the tool found, added up as the module adds up its own
 */
#ifndef KFLAME_RECORD_TALLY_H
#define KFLAME_RECORD_TALLY_H

#include "base/hash.h"
#include "profile/writer.h"

#define TALLY_STACKS	(1u << 16)	/* from so many on it is written */
#define TALLY_FRAMES	(4u << 20)
#define TALLY_SAMPLES	(1u << 18)

/** struct tally_stack - a distinct one */
struct tally_stack {
	uint32_t kind, end, nr;
	size_t first;		/* of its frames in .frames */
};

/** struct tally_sample - one sample in order of time; @count: index of its count */
struct tally_sample {
	uint64_t time_ns, weight_ns, late_ns;
	uint32_t cpu, count;
};

/** struct tally - all zero is empty */
struct tally {
	struct tally_stack *stacks;
	size_t nr_stacks, cap_stacks;
	uint64_t *frames;
	size_t nr_frames, cap_frames;
	struct kflame_rec_count *counts;
	size_t nr_counts, cap_counts;
	struct tally_sample *samples;
	size_t nr_samples, cap_samples;
	struct index stack_index, count_index;
	uint64_t written;		/* stacks written before these */
	uint32_t batches;	/* of counts that were written before these */
};

/** struct tally_frames - a stack, innermost frame first */
struct tally_frames {
	uint32_t end, nr;
	const uint64_t *ip;
};

/**
 * tally_add() - adds a sample
 * @like:	its key, samples and weights; the stacks are filled in
 * @time_ns:	when it was due; 0: write no SAMPLE record of it
 * @kernel:	its kernel stack; .nr 0 for none
 * @user:	its user stack; .nr 0 for none
 *
 * Return: 0 or -ENOMEM, and nothing was added.
 */
int tally_add(struct tally *t, const struct kflame_rec_count *like, uint64_t time_ns,
	      const struct tally_frames *kernel, const struct tally_frames *user);

/** tally_is_full() - Return: whether it is time to tell it */
bool tally_is_full(const struct tally *t);

/** tally_tell() - STACK, COUNT and SAMPLE records of all, and it is empty */
void tally_tell(struct tally *t, struct records *to);

/** tally_exit() - frees it */
void tally_exit(struct tally *t);

#endif
