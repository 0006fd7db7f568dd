/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_private.h - a call tree while stacks are added: for the tree_*.c alone
 */
#ifndef KFLAME_STACKS_TREE_PRIVATE_H
#define KFLAME_STACKS_TREE_PRIVATE_H

#include "stacks/frame_set.h"
#include "stacks/path_tree.h"
#include "stacks/tree.h"

/**
 * struct tree_private - what tree_finish() makes the nodes of
 * @frames:	all frames; number TREE_ROOT is the root's
 * @paths:	all stacks; empty after tree_finish()
 * @last:	frames of the stack that was added last: sorted input shares most of it with the next
 * @nr_last:	how many; 0 if nothing is known of it
 */
struct tree_private {
	struct frame_set frames;
	struct paths paths;
	uint32_t last[TREE_MAX_DEPTH];
	size_t nr_last;
};

#endif
