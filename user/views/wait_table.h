/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_table.h - a table of waits: how many, and how long; see runq.h and locks.h
 *
 * Number and sum come from the counts of a profile.  The longest wait and the percentiles need the length of
 * each wait, which only a profile with sample times has.
 */
#ifndef KFLAME_VIEWS_WAIT_TABLE_H
#define KFLAME_VIEWS_WAIT_TABLE_H

#include <stdbool.h>

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/stack_root.h"

/**
 * struct wait_row - waits that have one thing in common
 * @frame:	what they have in common; its strings live as long as the profile and the table
 * @lock:	kind of lock; NULL: not a table of locks
 * @comm:	of the threads that waited, the name whose waits add up to most; NULL: the table has no such column
 * @woken_by:	the waker that ended most of the waits; NULL: not known
 * @waits:	number of waits
 * @ns:		sum of their lengths
 * @timed:	how many of them have a known length
 * @p50_ns:	median of these lengths
 * @p99_ns:	99 of 100 lengths are at most this
 * @longest_ns:	the longest of these lengths
 */
struct wait_row {
	struct frame frame;
	const char *lock;
	const char *comm;
	const char *woken_by;
	uint64_t waits;
	uint64_t ns;
	uint64_t timed;
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t longest_ns;
};

/**
 * struct wait_table - rows, the largest sum first
 * @missing:	why there is no table; NULL: there is one
 * @waits:	sum over all rows
 * @ns:		sum over all rows
 * @timed:	sum over all rows
 * @roots:	storage of names; NULL: none is needed
 */
struct wait_table {
	struct wait_row *rows;
	size_t nr, cap;
	const char *missing;
	uint64_t waits;
	uint64_t ns;
	uint64_t timed;
	struct roots *roots;
};

/**
 * wait_row_fn - chooses the row of a count
 * @frames:	its stack, as for stack_fn
 * @row:	out: .frame, .lock, .comm and .woken_by; counts for which .frame and .lock are equal share a row
 *
 * Return: 1; 0 if the count has no row; a negative errno.
 */
typedef int (*wait_row_fn)(void *ctx, const struct profile_count *c, const struct frame *frames, size_t nr,
			   struct wait_row *row);

/**
 * wait_table_make() - fills a table
 * @t:		all zero, but for .roots
 * @filter:	only stacks that pass it; NULL: all stacks
 *
 * Return: 0 or a negative errno.  Free @t with wait_table_exit() in any case.
 */
int wait_table_make(struct wait_table *t, const struct profile *p, struct filter *filter, wait_row_fn fn, void *ctx);

/** wait_table_exit() - frees the rows and .roots */
void wait_table_exit(struct wait_table *t);

#endif
