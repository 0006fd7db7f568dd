/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_parts.h - what a report is made of: its tables and call trees, one after the other
 */
#ifndef KFLAME_VIEWS_REPORT_PARTS_H
#define KFLAME_VIEWS_REPORT_PARTS_H

#include "views/report.h"

/**
 * struct report_rows - a table
 * @which:	what it has rows for
 * @missing:	why there is none; NULL: there is
 * @rows:	the first ones of its rows; none for REPORT_CPU: profile.cpus are
 * @nr:		how many are shown
 * @hidden:	how many are left out
 * @whole:	what shares are of
 */
struct report_rows {
	enum report_table which;
	const char *missing;
	const struct function *rows;
	size_t nr;
	size_t hidden;
	uint64_t whole;
};

/**
 * struct report_calls - a call tree
 * @which:	which one
 * @function:	whose callers or callees; NULL for REPORT_TREE
 * @t:		the tree
 * @whole:	what shares are of
 * @least:	calls that weigh less are left out
 */
struct report_calls {
	enum report_tree which;
	const char *function;
	const struct tree *t;
	uint64_t whole;
	uint64_t least;
};

typedef int (*report_rows_fn)(void *ctx, const struct report *r, const struct report_rows *rows);
typedef int (*report_calls_fn)(void *ctx, const struct report *r, const struct report_calls *calls);

/** report_each_table() - Return: 0, -ENOMEM, or what @fn returned other than 0, which ends it */
int report_each_table(const struct report *r, report_rows_fn fn, void *ctx);

/**
 * report_each_tree() - as report_each_table(), for call trees
 *
 * Return: also -ENOENT and -EINVAL, see butterfly_find().
 */
int report_each_tree(const struct report *r, report_calls_fn fn, void *ctx);

/** report_table_key() - Return: what --by calls a table */
const char *report_table_key(enum report_table which);

#endif
