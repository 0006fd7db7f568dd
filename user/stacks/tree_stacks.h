/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_stacks.h - the stacks that are in a call tree
 */
#ifndef KFLAME_STACKS_TREE_STACKS_H
#define KFLAME_STACKS_TREE_STACKS_H

#include "stacks/tree.h"

/**
 * tree_stack() - the frames from the outermost to that of a node
 * @frames:	room for TREE_MAX_DEPTH; the names are the tree's
 *
 * Return: how many; 0 for the root.
 */
size_t tree_stack(const struct tree *t, uint32_t node, struct frame *frames);

/**
 * tree_each_stack() - calls @fn for each stack of a finished tree once
 *
 * In the order of the tree: what is next shares most of its frames, which tree_add() makes use of.
 *
 * Return: 0, -ENOMEM, or what @fn returned other than 0, which ends it.
 */
int tree_each_stack(const struct tree *t, stack_fn fn, void *ctx);

/** tree_each_added() - as above, of a tree that is not finished, in any order */
int tree_each_added(const struct tree *t, stack_fn fn, void *ctx);

#endif
