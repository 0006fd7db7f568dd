// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_parts.c - JSON members that several views share
 */
#include "views/columns.h"
#include "views/json_parts.h"

void json_add_weight(struct json *j, struct json_object *to, const char *key,
		     const struct weight *w)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "samples", w->samples);
	json_add_count(j, o, "ns", w->ns);
	json_add(j, to, key, o);
}

void json_add_frame(struct json *j, struct json_object *to, const struct frame *f)
{
	json_add_text(j, to, "name", f->name);
	json_add_text(j, to, "file", f->file);
	json_add_text(j, to, "kind", columns_kind(f->kind));
}
