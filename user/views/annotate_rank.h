/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_rank.h - which functions have the most self time; private to views/annotate*.c
 */
#ifndef KFLAME_VIEWS_ANNOTATE_RANK_H
#define KFLAME_VIEWS_ANNOTATE_RANK_H

#include "base/hash.h"
#include "stacks/frame_set.h"
#include "stacks/stacks.h"
#include "stacks/tree.h"

/**
 * struct ends - the functions with the address where a sample ended: the innermost one, and those it was inlined into
 * @from:	index of the outermost one
 * @nr:		how many they are; the innermost one is the last frame
 */
struct ends {
	size_t from, nr;
};

/** ends_of() - Return: the functions where a sample ended; none if its last frame is no function */
struct ends ends_of(const struct sample *s);

/** is_function() - Return: whether a frame has code */
bool is_function(const struct frame *f);

/** function_number() - numbers a function: those with the same name and file are one.  Return: 0 or -ENOMEM */
int function_number(struct frame_set *functions, const struct frame *f, uint32_t *number);

/**
 * struct ranked - a function, and its self time
 * @function:	number of the function
 * @share:	of the time of each event, added up
 */
struct ranked {
	uint32_t function;
	uint64_t share;
};

/**
 * rank_functions() - ranks all functions where samples ended
 * @functions:	gets the functions
 * @all:	out: one for each function, the largest share first; to be freed
 *
 * Return: 0 or -ENOMEM.
 */
int rank_functions(struct frame_set *functions, const struct profile *p, struct ranked **all);

#endif
