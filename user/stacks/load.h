/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - makes a call tree from a profile, or from folded stacks
 *
 * If a function fails, it reports on standard error what went wrong, and what to do.
 */
#ifndef KFLAME_STACKS_LOAD_H
#define KFLAME_STACKS_LOAD_H

#include "stacks/tree.h"

struct filter;
struct folded_read;
struct profile;

/**
 * load_profile() - loads all stacks of a profile
 * @p:		the profile
 * @tree:	out: a tree before tree_finish(); the caller frees it with tree_destroy()
 *
 * Return: 0 or a negative errno.
 */
int load_profile(const struct profile *p, struct tree **tree);

/** load_profile_filtered() - loads the stacks of a profile that pass @filter; NULL: all stacks */
int load_profile_filtered(const struct profile *p, struct filter *filter, struct tree **tree);

/**
 * load_unit() - chooses the unit of a view
 * @p:		NULL: the input is text
 * @asked:	TREE_BY_EVENT: the user named none
 *
 * Return: @asked, or time for an event that measures waits and with --wall, and samples for all others.
 */
enum tree_unit load_unit(const struct profile *p, enum tree_unit asked);

/** load_check_unit() - can the event in use be shown in that unit?  Return: 0; -ENODATA or -EINVAL, after a message */
int load_check_unit(const struct profile *p, enum tree_unit unit);

/**
 * load_folded() - loads the stacks of a file in FlameGraph's folded format
 * @path:	file name; NULL or "-" for standard input
 * @filter:	only stacks that pass this filter; NULL: all stacks
 * @tree:	as for load_profile()
 * @status:	set to EXIT_FAILURE if some lines are malformed, which is reported; or NULL
 *
 * Return: 0 or a negative errno, also if the file has malformed lines and no stack.
 */
int load_folded(const char *path, struct filter *filter, struct tree **tree, int *status);

/**
 * load_folded_named() - as load_folded(), with names of user functions
 * @symbols:	directory that has the files, as for folded_names_add(); NULL: none
 */
int load_folded_named(const char *path, const char *symbols, struct filter *filter, struct tree **tree, int *status);

/**
 * load_check_folded() - reports lines of folded stacks that were skipped
 * @name:	of the file
 * @r:		result of folded_each_stack()
 * @status:	as for load_folded()
 *
 * Return: 0; -EINVAL if there is no stack, and lines that are none.
 */
int load_check_folded(const char *name, const struct folded_read *r, int *status);

/** load_failed() - prints a message for error @err during action @what.  Return: @err */
int load_failed(int err, const char *what);

#endif
