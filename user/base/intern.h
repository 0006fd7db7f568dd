/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h - give equal byte strings the same small id
 */
#ifndef KFLAME_BASE_INTERN_H
#define KFLAME_BASE_INTERN_H

#include "base/hash.h"

/** struct interned - a byte string, with a NUL after it */
struct interned {
	char *bytes;
	size_t len;
};

/** struct intern - all byte strings; an id is an index into .all; all zero is an empty one */
struct intern {
	struct index index;
	struct interned *all;
	size_t nr, cap;
};

/**
 * intern_bytes() - get the id of a byte string
 * @added:	gets whether the byte string is new; may be NULL
 *
 * Return: the id; INDEX_NONE if memory runs out.
 */
uint32_t intern_bytes(struct intern *n, const void *bytes, size_t len, bool *added);

/** intern_exit() - free all byte strings and make the struct empty */
void intern_exit(struct intern *n);

#endif
