/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * butterfly.h - who calls a function, and what it calls
 *
 * Each stack that has the function in it counts once, so that either tree weighs
 * what the function weighs in total.
 */
#ifndef KFLAME_VIEWS_BUTTERFLY_H
#define KFLAME_VIEWS_BUTTERFLY_H

#include "stacks/tree.h"

/** struct butterfly - the frames that stand for a function; butterfly_exit() frees it */
struct butterfly {
	const struct tree *t;
	bool *is_function;	/* by frame */
	const char *name;	/* the tree's */
};

/**
 * butterfly_find() - begins: finds a function by its name
 * @t:		finished; must outlive @b
 * @name:	its whole name, or a part of it that no other function's name has
 *
 * Functions of one name in several files are one here.  What went wrong is reported on standard error.
 *
 * Return: 0, -ENOMEM, -ENOENT where there is none, -EINVAL where there are several.
 */
int butterfly_find(struct butterfly *b, const struct tree *t, const char *name);

/**
 * butterfly_callers() - from the function out to the threads
 * @out:	gets a finished tree, outermost the function; tree_destroy() is the caller's
 *
 * A function that calls itself is followed from where it is innermost.
 *
 * Return: 0 or -ENOMEM.
 */
int butterfly_callers(const struct butterfly *b, struct tree **out);

/** butterfly_callees() - from the function, where it is outermost, to what it calls.  Return: as butterfly_callers() */
int butterfly_callees(const struct butterfly *b, struct tree **out);

/** butterfly_exit() - frees what is in @b */
void butterfly_exit(struct butterfly *b);

#endif
