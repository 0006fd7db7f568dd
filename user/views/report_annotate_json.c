// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_annotate_json.c - writes an annotation as JSON
 */
#include <stdio.h>

#include "views/annotate.h"
#include "views/report_annotate.h"

static struct json_object *line(struct json *j, const struct annotated_line *l)
{
	struct json_object *o = json_object_new_object();

	json_add_text(j, o, "source", l->source);
	json_add_count(j, o, "line", l->line);
	json_add_weight(j, o, "self", &l->self);
	json_add_weight(j, o, "total", &l->total);
	return o;
}

static struct json_object *code(struct json *j, const struct annotated_code *c)
{
	struct json_object *o = json_object_new_object();
	char hex[2 * KFLAME_BUILD_ID_MAX + 1] = "";

	json_add_text(j, o, "symbol", c->symbol ? c->symbol->name : NULL);
	json_add_text(j, o, "path", c->file ? c->file->path : NULL);
	for (uint32_t i = 0; c->file && i < c->file->rec.build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", c->file->rec.build_id[i]);
	json_add_text(j, o, "build_id", hex[0] ? hex : NULL);
	json_add_text(j, o, "missing", c->missing);
	return o;
}

static struct json_object *at(struct json *j, const struct annotated_code *c, size_t number,
			      const struct annotated_at *a)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "code", number);
	json_add_count(j, o, "address", a->offset + c->move);
	json_add_text(j, o, "instruction", a->text);
	json_add_text(j, o, "source", a->source);
	json_add_count(j, o, "line", a->line);
	json_add_weight(j, o, "self", &a->self);
	json_add_weight(j, o, "inlined", &a->inlined);
	json_add_weight(j, o, "total", &a->total);
	return o;
}

int report_json_annotation(struct json *j, const struct report *r)
{
	const struct annotation *a = r->annotation;
	struct json_object *o;

	if (!a)
		return 0;
	o = json_object_new_object();
	json_add_frame(j, o, &a->function);
	json_add_weight(j, o, "self", &a->self);
	json_add_weight(j, o, "total", &a->total);
	json_member(j, "annotated", o);
	json_list(j, "annotated_lines");
	for (size_t i = 0; i < a->nr_lines; i++)
		json_row(j, line(j, &a->lines[i]));
	json_list_end(j);
	json_list(j, "annotated_code");
	for (size_t i = 0; i < a->nr_codes; i++)
		json_row(j, code(j, &a->codes[i]));
	json_list_end(j);
	json_list(j, "annotated_instructions");
	for (size_t i = 0; i < a->nr_codes; i++)
		for (size_t k = 0; k < a->codes[i].nr; k++)
			json_row(j, at(j, &a->codes[i], i, &a->codes[i].all[k]));
	json_list_end(j);
	return j->err;
}
