/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_tree.h - two call trees in which each path has the same index
 *
 * Each tree receives the stacks of both profiles in the same order, with its own weights, even if they are
 * 0. So both trees have the same node and frame indices. Each is a normal tree of stacks/tree.h.
 */
#ifndef KFLAME_VIEWS_DIFF_TREE_H
#define KFLAME_VIEWS_DIFF_TREE_H

#include "stacks/tree.h"

enum diff_side { DIFF_BASE, DIFF_OTHER };

/** struct diff_tree - @side[0].nodes[i] and @side[1].nodes[i] are the same path; diff_tree_exit() frees it */
struct diff_tree {
	struct tree *side[2];
};

/**
 * diff_tree_make() - makes the trees from two finished trees
 * @d:		out: two finished trees
 *
 * Return: 0 or -ENOMEM.
 */
int diff_tree_make(struct diff_tree *d, const struct tree *base, const struct tree *other);

/** diff_tree_exit() - frees the contents of @d */
void diff_tree_exit(struct diff_tree *d);

/** diff_tree_total() - Return: weight of a node on one side */
static inline uint64_t diff_tree_total(const struct diff_tree *d, enum diff_side side,
				       uint32_t node, enum tree_unit unit)
{
	return tree_weight(&d->side[side]->nodes[node].total, unit);
}

/**
 * struct diff_paths - paths that only one side has; to be freed with free(@nodes)
 * @nodes:	the outermost node of each path, heaviest first
 * @nr:		number of paths
 */
struct diff_paths {
	uint32_t *nodes;
	size_t nr;
};

/** diff_tree_only() - finds the paths that only @side has.  Return: 0 or -ENOMEM */
int diff_tree_only(struct diff_paths *paths, const struct diff_tree *d, enum diff_side side,
		   enum tree_unit unit);

#endif
