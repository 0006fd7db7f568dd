/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - adds up the samples whose stacks the tool unwound, as the module adds up its own samples
 */
#ifndef KFLAME_RECORD_TALLY_H
#define KFLAME_RECORD_TALLY_H

#include "base/hash.h"
#include "profile/writer.h"

#define TALLY_STACKS	(1u << 16)	/* at one of these limits, the tally is full */
#define TALLY_FRAMES	(4u << 20)
#define TALLY_SAMPLES	(1u << 18)

/** struct tally_stack - one distinct stack */
struct tally_stack {
	uint32_t kind, end, nr;
	size_t first;		/* index of its first frame in .frames */
};

/** struct tally_sample - when one sample was taken; @count: index of its count; @is_event: not of the timer */
struct tally_sample {
	uint64_t time_ns, weight_ns, late_ns;
	uint32_t cpu, count;
	bool is_event;
};

/** struct tally_count - a count, and the id of its event */
struct tally_count {
	struct kflame_rec_count rec;
	uint32_t event;
};

/** struct tally - distinct stacks and their counts; all zero is empty */
struct tally {
	struct tally_stack *stacks;
	size_t nr_stacks, cap_stacks;
	uint64_t *frames;
	size_t nr_frames, cap_frames;
	struct tally_count *counts;
	size_t nr_counts, cap_counts;
	struct tally_sample *samples;
	size_t nr_samples, cap_samples;
	struct index stack_index, count_index;
	uint64_t written;		/* how many stacks were written and dropped before .stacks */
	uint32_t batches;	/* how often counts were written and dropped */
};

/** struct tally_frames - a stack, innermost frame first */
struct tally_frames {
	uint32_t end, nr;
	const uint64_t *ip;
};

/**
 * tally_add() - adds one sample
 * @like:	its key, sample count and weights; the function sets the stack ids
 * @time_ns:	when the sample was due; 0: write no SAMPLE record
 * @kernel:	its kernel stack; .nr 0 for none
 * @user:	its user stack; .nr 0 for none
 *
 * Return: 0; -ENOMEM, and the sample was not added.
 */
int tally_add(struct tally *t, const struct tally_count *like, uint64_t time_ns,
	      const struct tally_frames *kernel, const struct tally_frames *user);

/** tally_is_full() - Return: whether tally_tell() is due */
bool tally_is_full(const struct tally *t);

/** tally_tell() - writes STACK, COUNT and SAMPLE records, and empties the tally */
void tally_tell(struct tally *t, struct records *to);

/** tally_exit() - frees the memory of @t */
void tally_exit(struct tally *t);

#endif
