/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_annotate.h - writes an annotation as a part of a report
 */
#ifndef KFLAME_VIEWS_REPORT_ANNOTATE_H
#define KFLAME_VIEWS_REPORT_ANNOTATE_H

#include "views/json_parts.h"
#include "views/report.h"

/** report_put_annotation() - writes it as text.  Return: 0 or -ENOMEM */
int report_put_annotation(FILE *out, const struct report *r);

/** report_json_annotation() - writes it as members of the outermost JSON object.  Return: 0 or -ENOMEM */
int report_json_annotation(struct json *j, const struct report *r);

#endif
