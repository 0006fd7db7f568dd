// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_order.c - totals of a call tree, and the order in which views walk it
 *
 * Callers come before callees in the array of nodes, so that totals are one
 * loop from its end to its beginning; the order is made with a stack on the
 * heap.  Nothing here recurses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

static void sum_up(struct tree *t)
{
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		t->nodes[i].total = t->nodes[i].self;
	for (uint32_t i = t->nr_nodes - 1; i > 0; i--) {
		struct weight *up = &t->nodes[t->nodes[i].parent].total;

		up->samples += t->nodes[i].total.samples;
		up->ns += t->nodes[i].total.ns;
	}
}

static int by_name(const void *a, const void *b, void *tree)
{
	const struct tree *t = tree;
	const struct frame *x = &t->frames[*(const uint32_t *)a];
	const struct frame *y = &t->frames[*(const uint32_t *)b];
	int d = strcmp(x->name, y->name);

	if (!d)
		d = strcmp(x->file ? x->file : "", y->file ? y->file : "");
	if (!d)
		d = !!x->file - !!y->file;
	return d ? d : (int)x->kind - (int)y->kind;
}

/* Place of each frame among all when sorted; the caller frees it */
static uint32_t *rank_frames(struct tree *t)
{
	uint32_t *sorted = malloc(t->nr_frames * sizeof(*sorted));
	uint32_t *rank = malloc(t->nr_frames * sizeof(*rank));

	if (!sorted || !rank) {
		free(sorted);
		free(rank);
		return NULL;
	}
	for (uint32_t i = 0; i < t->nr_frames; i++)
		sorted[i] = i;
	qsort_r(sorted, t->nr_frames, sizeof(*sorted), by_name, t);
	for (uint32_t i = 0; i < t->nr_frames; i++)
		rank[sorted[i]] = i;
	free(sorted);
	return rank;
}

/* A sibling while it is sorted: the rank of its frame above its index */
static int by_rank(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Children of all nodes, one parent after the other, each lot sorted:
 * @kids[@first[i] .. @first[i + 1]) are node i's.
 */
static void sort_children(struct tree *t, const uint32_t *rank, uint64_t *kids,
			  uint32_t *first)
{
	uint32_t sum = 0;

	for (uint32_t i = 1; i < t->nr_nodes; i++)
		first[t->nodes[i].parent + 1]++;
	for (uint32_t i = 0; i <= t->nr_nodes; i++) {
		sum += first[i];
		first[i] = sum;
	}
	/* Filled from the back, which leaves first[] at the beginnings */
	for (uint32_t i = t->nr_nodes - 1; i > 0; i--)
		kids[--first[t->nodes[i].parent + 1]] =
			(uint64_t)rank[t->nodes[i].frame] << 32 | i;
	memmove(first, first + 1, t->nr_nodes * sizeof(*first));
	first[t->nr_nodes] = t->nr_nodes - 1;
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		if (first[i + 1] - first[i] > 1)
			qsort(kids + first[i], first[i + 1] - first[i], sizeof(*kids), by_rank);
}

/* Walks the tree from the root with a stack of its own */
static void order_nodes(struct tree *t, const uint64_t *kids, const uint32_t *first,
			uint32_t *stack)
{
	uint32_t height = 0, nr = 0;

	stack[height++] = TREE_ROOT;
	while (height) {
		uint32_t i = stack[--height];

		t->order[nr++] = i;
		for (uint32_t k = first[i + 1]; k > first[i]; k--)
			stack[height++] = (uint32_t)kids[k - 1];
	}
}

int tree_finish(struct tree *t)
{
	size_t nr = t->nr_nodes;
	uint32_t *rank = rank_frames(t);
	uint32_t *first = calloc(nr + 2, sizeof(*first));
	uint64_t *kids = malloc(nr * sizeof(*kids));
	uint32_t *stack = malloc(nr * sizeof(*stack));
	int err = -ENOMEM;

	sum_up(t);
	free(t->order);
	t->order = malloc(nr * sizeof(*t->order));
	if (rank && first && kids && stack && t->order) {
		sort_children(t, rank, kids, first);
		order_nodes(t, kids, first, stack);
		err = 0;
	}
	free(stack);
	free(kids);
	free(first);
	free(rank);
	return err;
}
