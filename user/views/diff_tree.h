/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_tree.h - two call trees in which a path has the same index
 *
 * Each is given the stacks of both in the same order, with its own weights, be they 0: so nodes
 * and frames are numbered alike, and all of stacks/tree.h holds for either side.
 */
#ifndef KFLAME_VIEWS_DIFF_TREE_H
#define KFLAME_VIEWS_DIFF_TREE_H

#include "stacks/tree.h"

enum diff_side { DIFF_BASE, DIFF_OTHER };

/** struct diff_tree - @side[s].nodes[i] is the same path for either s; diff_tree_exit() frees it */
struct diff_tree {
	struct tree *side[2];
};

/**
 * diff_tree_make() - of two finished trees
 * @d:		gets two finished trees
 *
 * Return: 0 or -ENOMEM.
 */
int diff_tree_make(struct diff_tree *d, const struct tree *base, const struct tree *other);

/** diff_tree_exit() - frees what is in @d */
void diff_tree_exit(struct diff_tree *d);

/** diff_tree_total() - Return: what a node weighs on a side */
static inline uint64_t diff_tree_total(const struct diff_tree *d, enum diff_side side,
				       uint32_t node, enum tree_unit unit)
{
	return tree_weight(&d->side[side]->nodes[node].total, unit);
}

/**
 * struct diff_paths - paths that one side alone has; to be freed with free(@nodes)
 * @nodes:	the outermost node of each, heaviest first
 * @nr:		how many
 */
struct diff_paths {
	uint32_t *nodes;
	size_t nr;
};

/** diff_tree_only() - the paths of @side alone.  Return: 0 or -ENOMEM */
int diff_tree_only(struct diff_paths *paths, const struct diff_tree *d, enum diff_side side,
		   enum tree_unit unit);

#endif
