/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - two profiles compared: functions, paths, a differential flame graph
 */
#ifndef KFLAME_VIEWS_DIFF_H
#define KFLAME_VIEWS_DIFF_H

#include <stdio.h>

#include "views/diff_tree.h"
#include "views/functions.h"

/**
 * struct diff_options - how to compare
 * @unit:	what shares are of; significance is of samples always
 * @sort:	whether a function's self or total is compared
 * @raw:	weights, not shares of each side's whole
 * @rows:	most rows of a table, 0 for all
 * @color:	for a terminal
 * @counted:	what is counted, in the plural; NULL for samples. Of anything else, such as bytes, it is not
 *		known what chance would do: nothing is tested then
 */
struct diff_options {
	enum tree_unit unit;
	enum functions_sort sort;
	bool raw;
	size_t rows;
	bool color;
	const char *counted;
};

/**
 * struct diff - two profiles, DIFF_BASE and DIFF_OTHER
 * @t:		their stacks, finished
 * @paths:	the same, together
 * @letter:	'A' and 'B', as they stand on the command line
 * @name:	what each is called
 * @line:	what was recorded, of each
 */
struct diff {
	struct tree *t[2];
	struct diff_tree paths;
	char letter[2];
	const char *name[2];
	char *line[2];
	struct diff_options o;
};

/** diff_counted() - Return: what is counted, in the plural */
static inline const char *diff_counted(const struct diff *d)
{
	return d->o.counted ? d->o.counted : "samples";
}

/** diff_whole() - Return: what a side weighs in all */
static inline const struct weight *diff_whole(const struct diff *d, enum diff_side side)
{
	return &d->t[side]->nodes[TREE_ROOT].total;
}

/**
 * struct diff_row - a function on both sides
 * @frame:	what it is
 * @self:	of each side
 * @total:	of each side
 * @p:		significance of the change, see significance.h
 * @trusted:	also as one of many tests
 */
struct diff_row {
	const struct frame *frame;
	struct weight self[2];
	struct weight total[2];
	double p;
	bool trusted;
};

/** struct diff_rows - the table; to be freed with free(@all) */
struct diff_rows {
	struct diff_row *all;
	size_t nr;
};

/** diff_rows_make() - the functions of both, what changed most first.  Return: 0 or -ENOMEM */
int diff_rows_make(struct diff_rows *rows, const struct diff *d);

/** diff_weight() - Return: what is compared of a row: its self or total */
static inline const struct weight *diff_weight(const struct diff *d, const struct diff_row *r,
					       enum diff_side side)
{
	return d->o.sort == SORT_TOTAL ? &r->total[side] : &r->self[side];
}

/** diff_p() - Return: the significance of a change from @base to @other samples; 1: not tested */
double diff_p(const struct diff *d, uint64_t base, uint64_t other);

/** diff_text() - tables as text.  Errors of @out are left for the caller.  Return: 0 or -ENOMEM */
int diff_text(FILE *out, const struct diff *d);

/** diff_json() - the same as JSON, see kflame-diff(1).  Return: as diff_text() */
int diff_json(FILE *out, const struct diff *d);

#endif
