/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_private.h - a call tree while stacks are added, private to tree*.c
 */
#ifndef KFLAME_STACKS_TREE_PRIVATE_H
#define KFLAME_STACKS_TREE_PRIVATE_H

#include "stacks/frame_set.h"
#include "stacks/path_tree.h"
#include "stacks/tree.h"

/**
 * struct tree_private - the input of tree_finish()
 * @frames:	all frames; id TREE_ROOT is the root's
 * @paths:	all stacks; empty after tree_finish()
 * @last:	frames of the last stack: in sorted input, the next stack shares most of them
 * @nr_last:	number of frames in @last; 0 if @last is not valid
 */
struct tree_private {
	struct frame_set frames;
	struct paths paths;
	uint32_t last[TREE_MAX_DEPTH];
	size_t nr_last;
};

#endif
