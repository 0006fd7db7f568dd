/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_parts.h - makes the tables and call trees of a report, one after the other
 */
#ifndef KFLAME_VIEWS_REPORT_PARTS_H
#define KFLAME_VIEWS_REPORT_PARTS_H

#include "views/report.h"

/**
 * struct report_rows - a table
 * @which:	what its rows stand for
 * @missing:	why there is no table; NULL: there is one
 * @rows:	the first rows; none for REPORT_CPU, whose rows are profile.cpus
 * @nr:		how many rows are shown
 * @hidden:	how many rows are left out
 * @whole:	the weight of 100 %
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
 * @which:	which tree
 * @function:	the function of callers or callees; of REPORT_AT the id; NULL for REPORT_TREE
 * @t:		the tree
 * @whole:	the weight of 100 %
 * @least:	smallest weight of a shown call
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

/**
 * report_each_table() -
 *
 * Return: 0; -ENOMEM; or the first value other than 0 from @fn, which stops the loop
 */
int report_each_table(const struct report *r, report_rows_fn fn, void *ctx);

/**
 * report_each_tree() - as report_each_table(), for call trees
 *
 * Return: also -ENOENT and -EINVAL, see butterfly_find().
 */
int report_each_tree(const struct report *r, report_calls_fn fn, void *ctx);

/** report_table_root() - Return: what groups samples into the rows of a table; STACK_ROOT_NONE if they are frames */
enum stack_root report_table_root(enum report_table which);

/** report_table_key() - Return: the word for a table in --by */
const char *report_table_key(enum report_table which);

#endif
