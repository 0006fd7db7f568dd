/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_walks.h - compares the results of two unwinders for the same sample
 *
 * For record -g dwarf,both. The module unwinds a stack by its tables, and copies the same stack. libdw
 * unwinds the copy. Both results should be the same.
 */
#ifndef KFLAME_RECORD_COMPARE_WALKS_H
#define KFLAME_RECORD_COMPARE_WALKS_H

#include <stdint.h>
#include <stdio.h>

#include "record/tally.h"

/** struct both_sums - totals of the comparison; all zero: nothing was compared */
struct both_sums {
	uint64_t stacks;
	uint64_t same;		/* all frames and the end are the same */
	uint64_t first_cut;	/* the first one ends earlier, and its end says why */
	uint64_t second_cut;	/* the second one ends earlier, and its end says why */
	uint64_t different;	/* a frame differs, or one ends early without a reason */
	uint64_t frames;	/* compared frames: the length of the shorter stack */
	uint64_t frames_same;	/* of .frames: those before the first difference */
};

/**
 * both_add() - compares two stacks, and adds the result to the totals
 * @first, @second: innermost frame first
 *
 * Return: whether the stacks differ, and neither end says why.
 */
bool both_add(struct both_sums *s, const struct tally_frames *first,
	      const struct tally_frames *second);

/** both_print() - prints the totals */
void both_print(const struct both_sums *s, FILE *out);

/** both_show() - prints two stacks that differ, to find the reason */
void both_show(const struct tally_frames *first, const struct tally_frames *second, FILE *out);

#endif
