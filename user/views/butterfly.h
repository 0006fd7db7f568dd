/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * butterfly.h - the callers and the callees of a function
 *
 * Each stack with the function counts once. So both trees have the weight of the function's total.
 */
#ifndef KFLAME_VIEWS_BUTTERFLY_H
#define KFLAME_VIEWS_BUTTERFLY_H

#include "stacks/tree.h"

/** struct butterfly - all frames with the function's name; butterfly_exit() frees it */
struct butterfly {
	const struct tree *t;
	bool *is_function;	/* by index of the frame in the tree */
	const char *name;	/* owned by the tree */
};

/**
 * butterfly_find() - finds a function by its name
 * @t:		a finished tree, which must outlive @b
 * @name:	the whole name, or a part of it that no other function's name has
 *
 * Functions of the same name in several files count as one.  A wrong name is reported on standard error.
 *
 * Return: 0; -ENOMEM; -ENOENT if there is no such function; -EINVAL if there are several.
 */
int butterfly_find(struct butterfly *b, const struct tree *t, const char *name);

/**
 * butterfly_callers() - makes the tree from the function out to the threads
 * @out:	out: a finished tree, with the function outermost; the caller calls tree_destroy()
 *
 * If a function calls itself, its innermost frame on each stack counts.
 *
 * Return: 0 or -ENOMEM.
 */
int butterfly_callers(const struct butterfly *b, struct tree **out);

/**
 * butterfly_callees() - makes the tree from the outermost frame of the function to its callees
 *
 * Return: as butterfly_callers().
 */
int butterfly_callees(const struct butterfly *b, struct tree **out);

/** butterfly_exit() - frees the contents of @b */
void butterfly_exit(struct butterfly *b);

#endif
