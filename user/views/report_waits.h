/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_waits.h - writes the tables of waits of a report: for a CPU, and for locks
 */
#ifndef KFLAME_VIEWS_REPORT_WAITS_H
#define KFLAME_VIEWS_REPORT_WAITS_H

#include "views/json_parts.h"
#include "views/report.h"

/** report_put_waits() - writes them as text */
void report_put_waits(FILE *out, const struct report *r);

/** report_json_waits() - writes them as members of the outermost JSON object */
void report_json_waits(struct json *j, const struct report *r);

#endif
