/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_tree.h - stacks of frame numbers in a radix tree
 *
 * The frames that the same stacks go through, with no branch and no end between them, are one
 * span: of a million stacks that have 15 frames each for themselves, these are a million spans
 * and not 15 million nodes.  A stack that branches off within a span splits it.
 */
#ifndef KFLAME_STACKS_PATH_TREE_H
#define KFLAME_STACKS_PATH_TREE_H

#include "base/hash.h"
#include "stacks/tree.h"

/**
 * struct span - frames from the outermost to the innermost, all with the same callees in the end
 * @parent:	the span that its first frame was called from; TREE_NONE for TREE_ROOT, the root's.
 *		Its number says nothing of the order: the outer part of a span that is split is new
 * @first:	its first frame in paths.frames
 * @frame:	the first one, too: what a span is known by is on one line of the processor's cache
 * @depth:	of the first one, from 1 on; 0 in the root's span
 * @nr:		how many; 0 in the root's span alone
 * @stays:	tree_prune()'s
 * @self:	weight of the stacks that end at its last frame
 */
struct span {
	uint32_t parent;
	uint32_t first;
	uint32_t frame;
	uint16_t depth;
	uint16_t nr : 15;
	uint16_t stays : 1;
	struct weight self;
};

/**
 * struct paths - the tree; paths_init() makes an empty one
 * @spans:	all; spans[TREE_ROOT] is the root's
 * @nr:		how many, at least 1
 * @frames:	what spans consist of: each place here is in one span at most
 * @nr_frames:	how many
 */
struct paths {
	struct span *spans;
	uint32_t nr;
	uint32_t *frames;
	uint32_t nr_frames;
	/* Private to path_tree.c */
	size_t cap, cap_frames;
	struct index index;		/* spans by the frames from the outermost to their first */
	uint32_t way[TREE_MAX_DEPTH + 1];	/* spans of the stack that was added last */
	size_t nr_way;
	uint32_t hashes[TREE_MAX_DEPTH];	/* of its frames from the outermost to this one */
};

/** paths_init() - Return: 0 or -ENOMEM; paths_exit() is to be called in either case */
int paths_init(struct paths *p);

/**
 * paths_announce() - tells frame @i of the stack that comes next, so that what is needed for it
 * begins to be loaded.  To be called for each frame, one after the other, but for those that are
 * the same as in the last stack
 */
void paths_announce(struct paths *p, size_t i, uint32_t frame);

/**
 * paths_add() - adds one stack that was announced; equal ones add up
 * @same:	so many frames are those of the stack that was added last
 * @nr:		TREE_MAX_DEPTH at most
 *
 * Return: 0 or -ENOMEM.
 */
int paths_add(struct paths *p, size_t same, const uint32_t *frames, size_t nr,
	      const struct weight *w);

/** paths_stack() - the frames from the outermost to the last of @span.  Return: how many */
size_t paths_stack(const struct paths *p, uint32_t span, uint32_t *frames);

/** paths_by_depth() - Return: numbers of all spans, callers before callees; NULL without memory */
uint32_t *paths_by_depth(const struct paths *p);

/** paths_exit() - frees what is in @p */
void paths_exit(struct paths *p);

#endif
