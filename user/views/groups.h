/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.h - groups samples by process, thread, cgroup, container, state or waker
 */
#ifndef KFLAME_VIEWS_GROUPS_H
#define KFLAME_VIEWS_GROUPS_H

#include "profile/profile.h"
#include "stacks/stack_root.h"
#include "stacks/tree.h"

/**
 * groups_tree() - makes a tree in which each sample is a stack of one frame: its group
 * @by:		not STACK_ROOT_NONE
 * @tree:	out: a tree that is not finished; the caller calls tree_destroy(). Idle time and gaps belong
 *		to no process: they appear as in the stacks of stacks/stacks.h
 *
 * A process or a thread gets a second frame: the name that it had. STACK_ROOT_WAKER takes waits only.
 *
 * Return: 0, -ENOMEM or -EOVERFLOW.
 */
int groups_tree(const struct profile *p, enum stack_root by, struct tree **tree);

/**
 * groups_missing() - does the profile lack the data to group by?
 *
 * Return: a sentence that says what is missing and what to do; NULL if nothing is missing.
 */
const char *groups_missing(const struct profile *p, enum stack_root by);

#endif
