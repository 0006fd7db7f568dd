/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h - gives equal pieces of bytes the same small number
 */
#ifndef KFLAME_BASE_INTERN_H
#define KFLAME_BASE_INTERN_H

#include "base/hash.h"

/** struct interned - a piece, with a NUL after it */
struct interned {
	char *bytes;
	size_t len;
};

/** struct intern - all zero is an empty one; numbers are places in .all */
struct intern {
	struct index index;
	struct interned *all;
	size_t nr, cap;
};

/**
 * intern_bytes() - the number of some bytes
 * @added:	gets whether they are new; NULL where that is of no interest
 *
 * Return: the number, INDEX_NONE without memory.
 */
uint32_t intern_bytes(struct intern *n, const void *bytes, size_t len, bool *added);

/** intern_exit() - frees it, and makes it empty */
void intern_exit(struct intern *n);

#endif
