/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a profile as text or JSON: header, tables, call trees
 */
#ifndef KFLAME_VIEWS_REPORT_H
#define KFLAME_VIEWS_REPORT_H

#include <stdio.h>

#include "views/annotate.h"
#include "views/functions.h"
#include "views/summary.h"
#include "views/wait_table.h"

/** enum report_table - what the rows of a table stand for; a report has its tables in this order */
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
	REPORT_STATE,
	REPORT_WAKER,
	REPORT_LABEL,
	NR_REPORT_TABLES,
};

/** enum report_tree - the call trees of a report, in this order, after the tables */
enum report_tree {
	REPORT_CALLERS,		/* from a function out to the threads */
	REPORT_CALLEES,		/* from a function in to its callees */
	REPORT_TREE,		/* everything, from the threads in */
	REPORT_AT,		/* the stacks that begin with a path */
	NR_REPORT_TREES,
};

#define REPORT_DEFAULT_LIMIT	50u	/* of call trees: smallest share, 1/100 % */

/**
 * struct report_options - how to report
 * @unit:	unit of shares
 * @sort:	order of the functions
 * @rows:	limit of rows in each table, 0 for all
 * @limit:	rows and calls with a smaller total are left out; 1/100 %
 * @tables:	bits 1 << enum report_table
 * @trees:	bits 1 << enum report_tree
 * @histogram:	draw the lengths of events
 * @one_event:	the user named the event that is shown
 * @runq:	what a row of the table of waits for a CPU is; NR_REPORT_TABLES: a thread, or else a process
 * @function:	show the callers and callees of this function; NULL: of each function in the table
 * @at:		id of the path of REPORT_AT, see path_id.h; NULL: none
 * @color:	distinguish kernel and user code by colour, for a terminal
 */
struct report_options {
	enum tree_unit unit;
	enum functions_sort sort;
	size_t rows;
	unsigned int limit;
	unsigned int tables;
	unsigned int trees;
	bool histogram;
	bool one_event;
	enum report_table runq;
	const char *function;
	const char *at;
	bool color;
};

/**
 * struct report - the data of a report
 * @p:			the profile
 * @t:			its finished call tree
 * @summary:		its figures
 * @without_idle:	@t has no stacks of idle tasks
 * @is_filtered:	@t lacks other stacks, too; @dropped is the weight of all missing stacks
 * @runq:		waits for a CPU, by @runq_by; NULL: none
 * @locks:		waits for locks; NULL: none
 * @spins:		spins for locks; NULL: none
 * @annotation:	of a function; NULL: none
 * @o:			the options
 */
struct report {
	const struct profile *p;
	const struct tree *t;
	struct summary summary;
	bool without_idle;
	bool is_filtered;
	struct weight dropped;
	const struct wait_table *runq;
	enum report_table runq_by;
	const struct wait_table *locks;
	const struct wait_table *spins;
	const struct annotation *annotation;
	struct report_options o;
};

/**
 * report_text() - writes the report as text
 *
 * -ENOENT and -EINVAL are reported on standard error: there is no such function, or several. The caller
 * checks @out for errors.
 *
 * Return: 0 or a negative errno.
 */
int report_text(FILE *out, const struct report *r);

/** report_json() - writes the report as JSON, see kflame-report(1).  Return: as report_text() */
int report_json(FILE *out, const struct report *r);

#endif
