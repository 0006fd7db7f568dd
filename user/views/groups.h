/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.h - samples by what only the profile's counts tell: process, thread, cgroup, container
 */
#ifndef KFLAME_VIEWS_GROUPS_H
#define KFLAME_VIEWS_GROUPS_H

#include "profile/profile.h"
#include "stacks/stack_root.h"
#include "stacks/tree.h"

/**
 * groups_tree() - all samples of a profile as stacks of one frame: their group
 * @by:		not STACK_ROOT_NONE
 * @tree:	gets a tree that is not finished; idle and gaps belong to no process and stand as in the
 *		stacks of stacks/stacks.h.  tree_destroy() is the caller's
 *
 * On a process or a thread is one frame more: the name that it had.
 *
 * Return: 0, -ENOMEM or -EOVERFLOW.
 */
int groups_tree(const struct profile *p, enum stack_root by, struct tree **tree);

/**
 * groups_missing() - whether the profile does not hold what to group by
 *
 * Return: a sentence that says so and what to do; NULL where it is there.
 */
const char *groups_missing(const struct profile *p, enum stack_root by);

#endif
