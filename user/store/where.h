/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - the language of --where: which profiles of a store
 *
 *	expression:	expression or expression | expression and expression | not expression
 *			| ( expression ) | test
 *	test:		NAME = VALUE | NAME != VALUE | NAME like VALUE | NAME in ( VALUE , VALUE ... )
 *	NAME:		host, or the name of a label, such as service
 *	VALUE:		"text", 'text', or a word of letters, digits and _ - . : / @ %
 *
 * "not" binds closest, then "and", then "or".  In a value after "like", % stands for any text and _ for any
 * character.  A backslash in quotes stands for the character after it.  A profile without the label passes only !=.
 * Words such as "and" are written in lower case, or all in upper case.
 */
#ifndef KFLAME_STORE_WHERE_H
#define KFLAME_STORE_WHERE_H

#include <stdbool.h>
#include <stddef.h>

struct where;

/**
 * where_parse() - parses an expression
 * @text:	from the user
 * @why:	out, after an error: one sentence, with the position
 *
 * Return: the expression, to be freed by where_destroy(); NULL with @why.
 */
struct where *where_parse(const char *text, char *why, size_t size);

/** where_destroy() - frees an expression; does nothing for NULL */
void where_destroy(struct where *w);

/** where_value_fn - Return: the value of a name for the profile @ctx; NULL: it has none */
typedef const char *(*where_value_fn)(const void *ctx, const char *name);

/** where_matches() - Return: whether a profile passes; all do for NULL */
bool where_matches(const struct where *w, where_value_fn value, const void *ctx);

#endif
