/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_functions.h - which functions the kernel can trace
 */
#ifndef KFLAME_TRACE_TRACE_FUNCTIONS_H
#define KFLAME_TRACE_TRACE_FUNCTIONS_H

#include <stddef.h>

/**
 * trace_functions_check() - checks that each name, or pattern with *, is of a function that can be traced
 * @dir:	where tracefs is
 *
 * Return: 0 or a negative errno, after an error message.
 */
int trace_functions_check(const char *dir, const char **names, size_t nr);

#endif
