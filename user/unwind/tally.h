/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - samples whose stacks the tool found, added up as the module adds up its own
 */
#ifndef KFLAME_TALLY_H
#define KFLAME_TALLY_H

#include "index.h"
#include "profile_write.h"

#define TALLY_STACKS	(1u << 16)	/* from so many on it is to be told */
#define TALLY_FRAMES	(4u << 20)

/** struct tally_stack - a distinct one */
struct tally_stack {
	uint32_t kind, end, nr;
	size_t first;		/* of its frames in .frames */
};

/** struct tally - all zero is empty */
struct tally {
	struct tally_stack *stacks;
	size_t nr_stacks, cap_stacks;
	uint64_t *frames;
	size_t nr_frames, cap_frames;
	struct kflame_rec_count *counts;
	size_t nr_counts, cap_counts;
	struct index stack_index, count_index;
	uint64_t told;		/* stacks told before these */
};

/** struct tally_frames - a stack, innermost frame first */
struct tally_frames {
	uint32_t end, nr;
	const uint64_t *ip;
};

/**
 * tally_add() - adds a sample
 * @like:	its key, samples and weights; the stacks are filled in
 * @kernel:	its kernel stack; .nr 0 for none
 * @user:	its user stack; likewise
 *
 * Return: 0 or -ENOMEM, and nothing was added.
 */
int tally_add(struct tally *t, const struct kflame_rec_count *like,
	      const struct tally_frames *kernel, const struct tally_frames *user);

/** tally_is_full() - Return: whether it is time to tell it */
bool tally_is_full(const struct tally *t);

/** tally_tell() - STACK and COUNT records of all, and it is empty */
void tally_tell(struct tally *t, struct records *to);

/** tally_free() - frees it */
void tally_free(struct tally *t);

#endif
