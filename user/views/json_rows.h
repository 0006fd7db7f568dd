/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_rows.h - JSON that may be larger than memory: rows by json-c, one at a time
 *
 * A document is one object.  Small members are put whole; a list with a row for each function or
 * call is written row by row, each on a line of its own.  Names are as text_put() has them, hence
 * valid UTF-8, and whole numbers are exact to 64 bits (a reader that takes them for doubles is
 * exact to 53).
 */
#ifndef KFLAME_VIEWS_JSON_ROWS_H
#define KFLAME_VIEWS_JSON_ROWS_H

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>

#include "stacks/tree.h"

/**
 * struct json - a document on its way
 * @out:	errors are left for the caller to find
 * @err:	0, or -ENOMEM from the first time on
 *
 * The rest is private.
 */
struct json {
	FILE *out;
	int err;
	bool comma;
};

/** json_begin() - the outermost object */
void json_begin(struct json *j, FILE *out);

/** json_end() - ends it.  Return: @j->err */
int json_end(struct json *j);

/** json_member() - writes a member of the outermost object, and frees @value; NULL: -ENOMEM */
void json_member(struct json *j, const char *key, struct json_object *value);

/** json_list() - begins a member that is a list; json_row() each, then json_list_end() */
void json_list(struct json *j, const char *key);

/** json_row() - writes a row, and frees it; NULL: -ENOMEM */
void json_row(struct json *j, struct json_object *row);

/** json_list_end() - ends the list */
void json_list_end(struct json *j);

/** json_add() - adds to an object; takes @value over; NULL for either: -ENOMEM */
void json_add(struct json *j, struct json_object *to, const char *key, struct json_object *value);

/** json_add_count() - adds a whole number */
void json_add_count(struct json *j, struct json_object *to, const char *key, uint64_t n);

/** json_add_text() - adds a string; null where @s is NULL */
void json_add_text(struct json *j, struct json_object *to, const char *key, const char *s);

/** json_add_weight() - adds { "samples": ..., "ns": ... } */
void json_add_weight(struct json *j, struct json_object *to, const char *key,
		     const struct weight *w);

/** json_add_frame() - adds name, file and kind */
void json_add_frame(struct json *j, struct json_object *to, const struct frame *f);

#endif
