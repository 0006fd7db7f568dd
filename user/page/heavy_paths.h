/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heavy_paths.h - the few paths of a call tree that have most of the weight
 *
 * A path ends at a function that is heavy, while none of its callees is.  What is heavy depends on how many paths are
 * wanted.  No two paths share weight: their shares add up.
 */
#ifndef KFLAME_PAGE_HEAVY_PATHS_H
#define KFLAME_PAGE_HEAVY_PATHS_H

#include "stacks/tree.h"

#define HEAVY_PATHS	5

/**
 * struct heavy_path - a path
 * @node:	its last node
 * @itself:	the path has only the self of the node, because heavy callees have paths of their own
 * @weight:	the self of the node if @itself, else its total
 * @hash:	of the node, see views/path_id.h
 */
struct heavy_path {
	uint32_t node;
	bool itself;
	struct weight weight;
	uint64_t hash;
};

/**
 * struct heavy_paths - the paths of a tree, the heaviest one first
 * @t:		a finished tree, which belongs to somebody else
 * @event:	KFLAME_EVENT_* that the weights are of
 */
struct heavy_paths {
	const struct tree *t;
	enum tree_unit unit;
	uint32_t event;
	struct heavy_path all[HEAVY_PATHS];
	size_t nr;
};

/** heavy_paths_find() - finds at most @most paths, each with at least 1/200 of the weight.  Return: 0 or -ENOMEM */
int heavy_paths_find(struct heavy_paths *h, const struct tree *t, enum tree_unit unit, uint32_t event, size_t most);

/** heavy_paths_whole() - Return: the weight of 100 % */
uint64_t heavy_paths_whole(const struct heavy_paths *h);

/**
 * heavy_path_error() - how uncertain the share of a path is, because it was sampled
 *
 * Return: half of the interval that holds the true share with a probability of 95 %, in millionths.  0 for waits that
 * were measured.
 */
uint64_t heavy_path_error(const struct heavy_paths *h, const struct heavy_path *path);

#endif
