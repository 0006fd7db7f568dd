/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - write JSON documents that may be larger than memory
 *
 * A document is one object.  json-c formats members and rows, one at a time.  A list with a row for each
 * function or call is written row by row, one row a line.  Formats with a million stacks write their own
 * punctuation and use only json_string(): a json-c object for each stack would be a second copy.
 *
 * Strings are always valid UTF-8.  Whole numbers are exact to 64 bits.  (A reader that stores them as doubles
 * is exact to 53 bits.)
 */
#ifndef KFLAME_BASE_JSON_H
#define KFLAME_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

/**
 * json_string() - write @s in quotes
 *
 * Control characters, and bytes that are no readable character, become U+FFFD.  "<" is escaped, so that the
 * document can be embedded in an HTML page.
 */
void json_string(FILE *out, const char *s);

/** json_milli() - write @n / 1000 with three decimals: "12.345" */
void json_milli(FILE *out, uint64_t n);

/**
 * struct json - a document that is being written
 * @out:	the caller checks this stream for errors
 * @err:	0; -ENOMEM after memory ran out for the first time
 *
 * The other members are private.
 */
struct json {
	FILE *out;
	int err;
	bool comma;
};

/** json_begin() - begin the outermost object */
void json_begin(struct json *j, FILE *out);

/** json_end() - end the outermost object.  Return: @j->err */
int json_end(struct json *j);

/** json_member() - write a member of the outermost object, and free @value; NULL sets -ENOMEM */
void json_member(struct json *j, const char *key, struct json_object *value);

/** json_list() - begin a member that is a list; then call json_row() for each row, then json_list_end() */
void json_list(struct json *j, const char *key);

/** json_row() - write a row and free it; NULL sets -ENOMEM */
void json_row(struct json *j, struct json_object *row);

/** json_list_end() - end the list */
void json_list_end(struct json *j);

/** json_add() - add @value to the object @to, which owns it then; if either is NULL, this sets -ENOMEM */
void json_add(struct json *j, struct json_object *to, const char *key, struct json_object *value);

/** json_add_count() - add a whole number to the object @to */
void json_add_count(struct json *j, struct json_object *to, const char *key, uint64_t n);

/** json_add_text() - add a string to the object @to; JSON null if @s is NULL */
void json_add_text(struct json *j, struct json_object *to, const char *key, const char *s);

#endif
