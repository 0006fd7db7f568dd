/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_walks.h - compares what two ways of unwinding make of one sample
 *
 * For record -g dwarf,both: the module walks by its tables, and what is copied of the same stack at
 * the same moment is unwound by libdw.
 */
#ifndef KFLAME_RECORD_COMPARE_WALKS_H
#define KFLAME_RECORD_COMPARE_WALKS_H

#include <stdint.h>
#include <stdio.h>

#include "record/tally.h"

/** struct both_sums - all zero: nothing was compared */
struct both_sums {
	uint64_t stacks;
	uint64_t same;		/* frame by frame, to the same end */
	uint64_t first_cut;	/* the first one ends earlier, and says why */
	uint64_t second_cut;	/* the second one ends earlier */
	uint64_t different;	/* in a frame, or one ends where the other goes on */
	uint64_t frames;	/* that both have to the shorter one's end */
	uint64_t frames_same;	/* of these, from the innermost to the first that differs */
};

/**
 * both_add() - compares two stacks
 * @first, @second: innermost frame first
 *
 * Return: whether they differ in what neither says why.
 */
bool both_add(struct both_sums *s, const struct tally_frames *first,
	      const struct tally_frames *second);

/** both_print() - what came of it, a few lines */
void both_print(const struct both_sums *s, FILE *out);

/** both_show() - the two stacks, for who looks for the reason */
void both_show(const struct tally_frames *first, const struct tally_frames *second, FILE *out);

#endif
