/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * near_names.h - the names that are most like one that was not found
 */
#ifndef KFLAME_BASE_NEAR_NAMES_H
#define KFLAME_BASE_NEAR_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NEAR_NAMES		4	/* most names that are offered instead */
#define NEAR_NAMES_BYTES	96	/* bytes of such a name, with its NUL; longer names are not offered */
#define NEAR_NAMES_TEXT		(NEAR_NAMES * (NEAR_NAMES_BYTES + 2))	/* bytes that near_names_text() needs */

/** struct near_names - names, the most similar one first; all zero is an empty list. It has no pointers. */
struct near_names {
	uint32_t nr;
	uint32_t cost[NEAR_NAMES];	/* a higher one is less similar */
	char name[NEAR_NAMES][NEAR_NAMES_BYTES];
};

/** near_names_offer() - keep @name if it is one of those that are most like @wanted */
void near_names_offer(struct near_names *n, const char *wanted, const char *name);

/** near_names_text() - write "A, B, C" to @text of @size bytes. Return: @text, empty if there is no name */
const char *near_names_text(const struct near_names *n, char *text, size_t size);

#endif
