/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_stacks.h - lists the stacks of a call tree
 */
#ifndef KFLAME_STACKS_TREE_STACKS_H
#define KFLAME_STACKS_TREE_STACKS_H

#include "stacks/tree.h"

/**
 * tree_stack() - the frames from the outermost one to the frame of a node
 * @frames:	out: at most TREE_MAX_DEPTH frames; the tree owns their strings
 *
 * Return: number of frames; 0 for the root.
 */
size_t tree_stack(const struct tree *t, uint32_t node, struct frame *frames);

/**
 * tree_each_stack() - calls @fn once for each stack of a tree, after tree_finish()
 *
 * Stacks are in the order of the tree, so that successive stacks share most of their frames.  That makes
 * tree_add() fast.
 *
 * Return: 0; -ENOMEM; or the first non-zero result of @fn, which stops the walk.
 */
int tree_each_stack(const struct tree *t, stack_fn fn, void *ctx);

/** tree_each_added() - as tree_each_stack(), but before tree_finish(), in any order */
int tree_each_added(const struct tree *t, stack_fn fn, void *ctx);

#endif
