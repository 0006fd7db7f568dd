/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_by.h - how much of each host, or of each value of a label, a function takes
 */
#ifndef KFLAME_VIEWS_FUNCTION_BY_H
#define KFLAME_VIEWS_FUNCTION_BY_H

#include <stdio.h>

#include "profile/profile.h"
#include "stacks/tree.h"

/**
 * struct function_by - what to show
 * @function:	its name, as views show it
 * @key:	"host", "run", "comm", or the name of a label of recordings, such as "service"
 * @unit:	order and shares
 * @rows:	most rows of the table; 0: all
 * @idle:	count the idle tasks, too
 */
struct function_by {
	const char *function;
	const char *key;
	enum tree_unit unit;
	size_t rows;
	bool idle;
};

/**
 * function_by_write() - writes the table as text, or as JSON
 *
 * The table has for each value of the key the samples of stacks with the function, and all samples. Their sums are
 * those of the profile.
 *
 * Return: 0; -ENOENT after a message, if no stack has the function; -ENOMEM.
 */
int function_by_write(FILE *out, const struct profile *p, const struct function_by *f, bool json);

#endif
