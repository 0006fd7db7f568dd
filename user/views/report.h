/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a profile as text: what was recorded, tables, call trees
 */
#ifndef KFLAME_VIEWS_REPORT_H
#define KFLAME_VIEWS_REPORT_H

#include <stdio.h>

#include "views/annotate.h"
#include "views/functions.h"
#include "views/summary.h"

/** enum report_table - what a table has a row for; those of a report stand in this order */
enum report_table {
	REPORT_FUNCTION,
	REPORT_FILE,
	REPORT_COMM,
	REPORT_PID,
	REPORT_TID,
	REPORT_CGROUP,
	REPORT_CONTAINER,
	REPORT_HOST,
	REPORT_RUN,
	REPORT_CPU,
	NR_REPORT_TABLES,
};

/** enum report_tree - a call tree of a report; they stand in this order, after the tables */
enum report_tree {
	REPORT_CALLERS,		/* from a function out to the threads */
	REPORT_CALLEES,		/* from a function to what it calls */
	REPORT_TREE,		/* all, from the threads in */
	NR_REPORT_TREES,
};

#define REPORT_DEFAULT_LIMIT	50u	/* of call trees, 1/100 % */

/**
 * struct report_options - how to report
 * @unit:	what shares are of
 * @sort:	order of the functions
 * @rows:	most rows of each table, 0 for all
 * @limit:	rows and calls with a smaller total are left out; 1/100 %
 * @tables:	bits 1 << enum report_table
 * @trees:	bits 1 << enum report_tree
 * @function:	of callers and callees; NULL: of each function that the table would have
 * @color:	kernel and user apart in colour, for a terminal
 */
struct report_options {
	enum tree_unit unit;
	enum functions_sort sort;
	size_t rows;
	unsigned int limit;
	unsigned int tables;
	unsigned int trees;
	const char *function;
	bool color;
};

/**
 * struct report - what there is to report
 * @p:			the profile
 * @t:			its stacks, finished
 * @summary:		its figures
 * @without_idle:	the idle tasks are not in @t
 * @is_filtered:	other stacks are not, either: @dropped, all in all
 * @annotation:	of a function; NULL: none was asked for
 * @o:			how
 */
struct report {
	const struct profile *p;
	const struct tree *t;
	struct summary summary;
	bool without_idle;
	bool is_filtered;
	struct weight dropped;
	const struct annotation *annotation;
	struct report_options o;
};

/**
 * report_text() - all of it as text
 *
 * What went wrong is reported on standard error where it is -ENOENT or -EINVAL: there is no such
 * function, or several.  Errors of @out are left for the caller to find.
 *
 * Return: 0 or a negative errno.
 */
int report_text(FILE *out, const struct report *r);

/** report_json() - all of it as JSON, see kflame-report(1).  Return: as report_text() */
int report_json(FILE *out, const struct report *r);

#endif
