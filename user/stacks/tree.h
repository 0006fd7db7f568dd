/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - the call tree, the model that every view reads
 *
 * tree_add() adds stacks.  tree_finish() makes sorted nodes with their totals.  After that, the tree is
 * only read.  All weights are exact integers.
 */
#ifndef KFLAME_STACKS_TREE_H
#define KFLAME_STACKS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stacks/stacks.h"

/* Deeper stacks keep their outermost frames and end in a note */
#define TREE_MAX_DEPTH	4096
#define TREE_DEEPER	"[deeper frames not kept]"

#define TREE_ROOT	0u		/* index of the root node, and of its frame */
#define TREE_NONE	UINT32_MAX

/* The unit that a view measures in. TREE_BY_EVENT: of options only, load_unit() chooses another one */
enum tree_unit { TREE_SAMPLES, TREE_NS, TREE_BY_EVENT };

/**
 * struct weight - the weight of a set of samples
 * @samples:	number of samples
 * @ns:		the time that they stand for, nanoseconds
 */
struct weight {
	uint64_t samples;
	uint64_t ns;
};

/**
 * struct tree_node - a function with one particular sequence of callers
 * @parent:	index of the caller's node, always less than its own; TREE_NONE for the root
 * @frame:	index in tree.frames
 * @depth:	0 for the root, 1 for its children
 * @self:	weight of the stacks that end here
 * @total:	@self and the weights of all nodes below
 */
struct tree_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t depth;
	struct weight self;
	struct weight total;
};

/**
 * struct tree - the call tree; read it, do not write it
 * @nodes:	all nodes: each node is followed by its whole subtree.  Siblings are sorted by name, file and
 *		kind, so the order of tree_add() calls has no effect.  nodes[TREE_ROOT] is the root
 * @nr_nodes:	number of nodes, at least 1
 * @frames:	distinct frames; frames[TREE_ROOT] is the root's, named "all"
 * @nr_frames:	number of frames, at least 1
 * @sum:	weight of all stacks in the tree
 *
 * There are no nodes and frames before tree_finish().
 */
struct tree {
	struct tree_node *nodes;
	uint32_t nr_nodes;
	struct frame *frames;
	uint32_t nr_frames;
	struct weight sum;
	struct tree_private *priv;
};

/** tree_create() - Return: an empty tree, or NULL when out of memory */
struct tree *tree_create(void);

/** tree_destroy() - frees @t and its contents; does nothing for NULL */
void tree_destroy(struct tree *t);

/**
 * tree_add() - adds one stack; strings are copied
 *
 * The weights of equal stacks add up.  A stack may have any depth, see TREE_MAX_DEPTH.
 *
 * Return: 0; -ENOMEM; -EOVERFLOW if the sums do not fit in 64 bits: then nothing was added.
 */
int tree_add(struct tree *t, const struct frame *frames, size_t nr,
	     uint64_t samples, uint64_t ns);

/**
 * tree_add_next() - tree_add() for a caller that knows how many frames the last stack shares
 * @shared:	number of outer frames that the last stack shares; 0 if it is not known
 */
int tree_add_next(struct tree *t, size_t shared, const struct frame *frames, size_t nr,
		  uint64_t samples, uint64_t ns);

/** tree_add_stack() - tree_add() as a stack_fn; @tree is the struct tree */
int tree_add_stack(void *tree, const struct frame *frames, size_t nr,
		   uint64_t samples, uint64_t ns);

/** tree_sum() - Return: weight of all stacks in the tree */
struct weight tree_sum(const struct tree *t);

/** tree_idle() - before tree_finish().  Return: weight of all stacks whose second frame is "[idle]" */
struct weight tree_idle(const struct tree *t);

/** tree_drop_idle() - removes the stacks whose second frame is "[idle]"; before tree_finish() */
void tree_drop_idle(struct tree *t);

/**
 * tree_prune() - removes nodes that are too small to be seen; before tree_finish()
 * @unit:	unit of @least
 * @least:	nodes with less weight are removed, and their weight is added to their callers.  0 keeps all
 * @gone:	out: how many removed nodes had a weight in @unit
 *
 * After this call, no stack can be added.
 *
 * Return: 0 or -ENOMEM.
 */
int tree_prune(struct tree *t, enum tree_unit unit, uint64_t least, uint64_t *gone);

/**
 * tree_reverse() - copies a tree with all stacks reversed, innermost frame first; before tree_finish()
 *
 * Return: a new tree, before tree_finish(); NULL without memory.
 */
struct tree *tree_reverse(const struct tree *t);

/** tree_finish() - makes the nodes; after that nothing can be added.  Return: 0 or -ENOMEM */
int tree_finish(struct tree *t);

/** tree_weight() - Return: the part of @w that @unit measures */
static inline uint64_t tree_weight(const struct weight *w, enum tree_unit unit)
{
	return unit == TREE_NS ? w->ns : w->samples;
}

/** weight_add() - adds @w to @to */
static inline void weight_add(struct weight *to, const struct weight *w)
{
	to->samples += w->samples;
	to->ns += w->ns;
}

/** frame_is_note() - Return: whether @f is the note @name */
bool frame_is_note(const struct frame *f, const char *name);

/** stack_is_idle() - Return: whether the stack's second frame is the note "[idle]" */
bool stack_is_idle(const struct frame *frames, size_t nr);

#endif
