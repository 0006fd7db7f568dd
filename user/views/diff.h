/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - compares two profiles by function, by path, and as a differential flame graph
 */
#ifndef KFLAME_VIEWS_DIFF_H
#define KFLAME_VIEWS_DIFF_H

#include <stdio.h>

#include "views/diff_tree.h"
#include "views/functions.h"

/**
 * struct diff_options - how to compare
 * @unit:	unit of shares; significance always uses samples
 * @sort:	whether to compare self or total of a function
 * @raw:	compare weights, not shares of each side's whole
 * @rows:	limit of rows in a table, 0 for all
 * @color:	colour the output, for a terminal
 * @counted:	what is counted, in the plural; NULL for samples. Anything else, such as bytes, gets no
 *		significance test, because its random variation is unknown
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
 * struct diff - the two profiles, DIFF_BASE and DIFF_OTHER
 * @t:		the finished call tree of each
 * @paths:	both call trees in one
 * @letter:	'A' and 'B', as on the command line
 * @name:	display name of each
 * @line:	summary of each recording
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

/** diff_whole() - Return: total weight of one side */
static inline const struct weight *diff_whole(const struct diff *d, enum diff_side side)
{
	return &d->t[side]->nodes[TREE_ROOT].total;
}

/**
 * struct diff_row - a function on both sides
 * @frame:	the function
 * @self:	self weight on each side
 * @total:	total weight on each side
 * @p:		significance of the change, see significance.h
 * @trusted:	significant even as one of many tests
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

/** diff_rows_make() - lists the functions of both sides, largest change first.  Return: 0 or -ENOMEM */
int diff_rows_make(struct diff_rows *rows, const struct diff *d);

/** diff_weight() - Return: the compared weight of a row: its self or its total */
static inline const struct weight *diff_weight(const struct diff *d, const struct diff_row *r,
					       enum diff_side side)
{
	return d->o.sort == SORT_TOTAL ? &r->total[side] : &r->self[side];
}

/** diff_p() - Return: the significance of a change from @base to @other samples; 1: not tested */
double diff_p(const struct diff *d, uint64_t base, uint64_t other);

/** diff_text() - writes tables as text; the caller checks @out for errors.  Return: 0 or -ENOMEM */
int diff_text(FILE *out, const struct diff *d);

/** diff_json() - writes the tables as JSON, see kflame-diff(1).  Return: as diff_text() */
int diff_json(FILE *out, const struct diff *d);

#endif
