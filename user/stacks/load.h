/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - from what is on the disk to a call tree
 *
 * Each function tells on standard error what went wrong, and what to do.
 */
#ifndef KFLAME_STACKS_LOAD_H
#define KFLAME_STACKS_LOAD_H

#include "stacks/tree.h"

struct filter;
struct profile;

/**
 * load_profile() - all stacks of a profile
 * @p:		the profile
 * @tree:	gets a tree that is not finished; tree_destroy() is the caller's
 *
 * Return: 0 or a negative errno.
 */
int load_profile(const struct profile *p, struct tree **tree);

/** load_profile_filtered() - those that pass @filter; NULL: all */
int load_profile_filtered(const struct profile *p, struct filter *filter, struct tree **tree);

/**
 * load_folded() - stacks of a file in FlameGraph's folded format
 * @path:	file name; NULL or "-" for standard input
 * @filter:	those that pass; NULL: all
 * @tree:	as above
 * @status:	set to EXIT_FAILURE where some lines are no folded stacks, which is reported; or NULL
 *
 * Return: 0 or a negative errno, also where no line is one.
 */
int load_folded(const char *path, struct filter *filter, struct tree **tree, int *status);

/** load_failed() - tells what @err means while @what was done.  Return: @err */
int load_failed(int err, const char *what);

#endif
