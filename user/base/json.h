/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON that may be larger than memory
 *
 * A document is one object. json-c makes small members and rows, one at a time; a list with a row for each
 * function or call is written row by row, each on a line of its own. Formats that have a million stacks write
 * their own punctuation and use json_string() alone, because a json-c object for each would be a second copy.
 *
 * Strings are valid UTF-8, whatever they were made of. Whole numbers are exact to 64 bits (a reader that
 * takes them for doubles is exact to 53).
 */
#ifndef KFLAME_BASE_JSON_H
#define KFLAME_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

/**
 * json_string() - writes @s in quotes
 *
 * What is no character that people can read, a control character too, is U+FFFD. "<" is escaped, so that a
 * file may stand in a page.
 */
void json_string(FILE *out, const char *s);

/** json_milli() - writes @n / 1000, all digits: "12.345" */
void json_milli(FILE *out, uint64_t n);

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

#endif
