/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_functions.h - which functions the kernel can trace
 */
#ifndef KFLAME_TRACE_TRACE_FUNCTIONS_H
#define KFLAME_TRACE_TRACE_FUNCTIONS_H

#include <stddef.h>

#define NEAREST_NAMES	4u

/**
 * struct nearest_names - the names that are most like a name, the best one first
 * @distance:	how many characters must be changed, added or removed
 */
struct nearest_names {
	struct {
		char *name;
		size_t distance;
	} all[NEAREST_NAMES];
	size_t nr;
};

/** nearest_names_offer() - keeps a copy of @name if it is one of the nearest to @wanted */
void nearest_names_offer(struct nearest_names *n, const char *wanted, const char *name);

void nearest_names_exit(struct nearest_names *n);

/**
 * trace_functions_check() - checks that each name, or pattern with *, is of a function that can be traced
 * @dir:	where tracefs is
 *
 * Return: 0 or a negative errno, after an error message.
 */
int trace_functions_check(const char *dir, const char **names, size_t nr);

#endif
