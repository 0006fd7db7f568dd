/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_parts.h - JSON members that several views share
 */
#ifndef KFLAME_VIEWS_JSON_PARTS_H
#define KFLAME_VIEWS_JSON_PARTS_H

#include "base/json.h"
#include "stacks/tree.h"

/** json_add_weight() - adds { "samples": ..., "ns": ... } */
void json_add_weight(struct json *j, struct json_object *to, const char *key,
		     const struct weight *w);

/** json_add_frame() - adds name, file and kind */
void json_add_frame(struct json *j, struct json_object *to, const struct frame *f);

#endif
