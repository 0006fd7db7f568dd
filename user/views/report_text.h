/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_text.h - writes the parts of a report as text; the caller checks @out for errors
 */
#ifndef KFLAME_VIEWS_REPORT_TEXT_H
#define KFLAME_VIEWS_REPORT_TEXT_H

#include "views/report_parts.h"

/** report_header() - writes host, rate, samples, lost samples, and the shares of idle and late time */
void report_header(FILE *out, const struct report *r);

/** report_put_host() - writes two lines: the host, its kernel and the date; and the command, if one was recorded */
void report_put_host(FILE *out, const struct profile *p);

/** report_put_rows() - writes a table */
void report_put_rows(FILE *out, const struct profile *p, const struct report_rows *rows,
		     const struct report_options *o);

/** report_heading() - Return: what a row of a table is, as a heading */
const char *report_heading(enum report_table which);

/** report_put_calls() - writes a call tree.  Return: 0 or -ENOMEM */
int report_put_calls(FILE *out, const struct report_calls *calls, const struct report_options *o);

#endif
