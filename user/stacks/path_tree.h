/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_tree.h - stacks of frame ids in a radix tree
 *
 * A span is a sequence of frames between which no stack branches off or ends.  A million stacks with 15
 * frames of their own each are a million spans, not 15 million nodes.  A stack that branches off within a
 * span splits the span.
 */
#ifndef KFLAME_STACKS_PATH_TREE_H
#define KFLAME_STACKS_PATH_TREE_H

#include "base/hash.h"
#include "stacks/tree.h"

/**
 * struct span - frames in sequence, the outermost first
 * @parent:	the span that calls the first frame; TREE_NONE in the root's span TREE_ROOT.  A parent may
 *		have a higher number than its callee, because splitting adds the outer part as a new span
 * @first:	index of its first frame in paths.frames
 * @frame:	a copy of the first frame, so that the key of a span is in one cache line
 * @depth:	depth of the first frame, from 1 on; 0 in the root's span
 * @nr:		number of frames; 0 only in the root's span
 * @stays:	used by tree_prune() only
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
 * @spans:	all spans; spans[TREE_ROOT] is the root's
 * @nr:		number of spans, at least 1
 * @frames:	the frames of all spans; no two spans share an element
 * @nr_frames:	number of elements of @frames
 */
struct paths {
	struct span *spans;
	uint32_t nr;
	uint32_t *frames;
	uint32_t nr_frames;
	/* Private to path_tree.c */
	size_t cap, cap_frames;
	struct index index;		/* finds a span by the hash of the stack up to its first frame */
	uint32_t way[TREE_MAX_DEPTH + 1];	/* spans of the last stack */
	size_t nr_way;
	uint32_t hashes[TREE_MAX_DEPTH];	/* hashes of the last stack up to each of its frames */
};

/** paths_init() - Return: 0 or -ENOMEM; the caller must call paths_exit() in either case */
int paths_init(struct paths *p);

/**
 * paths_announce() - announces frame @i of the next stack, so that its data can be prefetched
 *
 * Call it for each frame in sequence.  Leave out the outer frames that the last stack shares.
 */
void paths_announce(struct paths *p, size_t i, uint32_t frame);

/**
 * paths_add() - adds a stack that was announced; the weights of equal stacks add up
 * @same:	number of outer frames that the last stack shares
 * @nr:		number of frames, at most TREE_MAX_DEPTH
 *
 * Return: 0 or -ENOMEM.
 */
int paths_add(struct paths *p, size_t same, const uint32_t *frames, size_t nr,
	      const struct weight *w);

/** paths_stack() - the frames from the outermost one to the last of @span.  Return: how many */
size_t paths_stack(const struct paths *p, uint32_t span, uint32_t *frames);

/** paths_by_depth() - Return: the numbers of all spans, callers before callees; NULL without memory */
uint32_t *paths_by_depth(const struct paths *p);

/** paths_exit() - frees the contents of @p */
void paths_exit(struct paths *p);

#endif
