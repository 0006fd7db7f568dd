/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a profile as text: what was recorded, the top functions, the threads
 */
#ifndef KFLAME_VIEWS_REPORT_H
#define KFLAME_VIEWS_REPORT_H

#include <stdio.h>

#include "functions.h"
#include "summary.h"

/**
 * struct report_options - how to report
 * @unit:	what shares are of
 * @sort:	order of the functions
 * @rows:	most rows of each table, 0 for all
 * @outermost:	heading of the table of outermost frames; NULL: they are threads
 * @color:	kernel and user apart in colour, for a terminal
 */
struct report_options {
	enum tree_unit unit;
	enum functions_sort sort;
	size_t rows;
	const char *outermost;
	bool color;
};

/**
 * report_header() - host, rate, samples, losses, shares of idle and late time
 * @without_idle:	the tables that follow leave the idle tasks out
 */
void report_header(FILE *out, const struct profile *p, const struct summary *s,
		   bool without_idle);

/**
 * report_tables() - functions and threads of @t, which is finished
 *
 * Errors of @out are left for the caller to find.
 *
 * Return: 0 or -ENOMEM.
 */
int report_tables(FILE *out, const struct tree *t, const struct report_options *o);

#endif
