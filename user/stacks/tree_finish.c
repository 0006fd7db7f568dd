// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_finish.c - makes the nodes of a call tree, and their totals
 *
 * The nodes are in the order in which views walk them.  Callers are before callees, so one loop from the
 * end to the beginning computes the totals.  A stack on the heap replaces recursion.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/tree_private.h"

static int by_name(const void *a, const void *b, void *frames)
{
	const struct frame *x = (const struct frame *)frames + *(const uint32_t *)a;
	const struct frame *y = (const struct frame *)frames + *(const uint32_t *)b;

	return frame_compare(x, y);
}

/*
 * Sorts the frames that spans begin with.  Only these are sorted, because few spans may be left after
 * tree_prune().  Return: the rank of each frame, to be freed; NULL without memory.
 */
static uint32_t *rank_frames(const struct frame_set *f, const struct paths *p)
{
	uint32_t *sorted = malloc(f->nr * sizeof(*sorted));
	uint32_t *rank = calloc(f->nr, sizeof(*rank));
	uint32_t nr = 0;

	if (!sorted || !rank) {
		free(sorted);
		free(rank);
		return NULL;
	}
	for (uint32_t i = 1; i < p->nr; i++) {
		uint32_t frame = p->spans[i].frame;

		if (!rank[frame]++)
			sorted[nr++] = frame;
	}
	qsort_r(sorted, nr, sizeof(*sorted), by_name, f->all);
	for (uint32_t i = 0; i < nr; i++)
		rank[sorted[i]] = i;
	free(sorted);
	return rank;
}

/* Compares siblings: the upper half is the rank of the first frame, the lower half the span's number */
static int by_rank(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Lists the callees of all spans, sorted for each caller: the callees of span i are
 * @kids[@first[i] .. @first[i + 1]).
 */
static void sort_callees(const struct paths *p, const uint32_t *rank, uint64_t *kids,
			 uint32_t *first)
{
	uint32_t sum = 0;

	for (uint32_t i = 1; i < p->nr; i++)
		first[p->spans[i].parent + 1]++;
	for (uint32_t i = 0; i <= p->nr; i++) {
		sum += first[i];
		first[i] = sum;
	}
	/* Fill each list from its end. After that, first[] has the beginning of each list. */
	for (uint32_t i = p->nr - 1; i > 0; i--)
		kids[--first[p->spans[i].parent + 1]] =
			(uint64_t)rank[p->spans[i].frame] << 32 | i;
	memmove(first, first + 1, p->nr * sizeof(*first));
	first[p->nr] = p->nr - 1;
	for (uint32_t i = 0; i < p->nr; i++)
		if (first[i + 1] - first[i] > 1)
			qsort(kids + first[i], first[i + 1] - first[i], sizeof(*kids), by_rank);
}

/* Adds the nodes of a span below @parent.  Return: the last node */
static uint32_t add_nodes(struct tree *t, const struct paths *p, const struct span *s,
			  uint32_t parent)
{
	for (uint16_t i = 0; i < s->nr; i++) {
		t->nodes[t->nr_nodes] = (struct tree_node){
			.parent = parent, .frame = p->frames[s->first + i],
			.depth = s->depth + i,
		};
		parent = t->nr_nodes++;
	}
	t->nodes[parent].self = s->self;
	return parent;
}

/* Makes the nodes, from the root on.  @stack replaces recursion; @last: out: the last node of each span */
static void make_nodes(struct tree *t, const uint64_t *kids, const uint32_t *first,
		       uint32_t *stack, uint32_t *last)
{
	const struct paths *p = &t->priv->paths;
	uint32_t height = 0;

	t->nodes[TREE_ROOT] = (struct tree_node){
		.parent = TREE_NONE, .frame = TREE_ROOT, .self = p->spans[TREE_ROOT].self,
	};
	t->nr_nodes = 1;
	last[TREE_ROOT] = TREE_ROOT;
	stack[height++] = TREE_ROOT;
	while (height) {
		uint32_t span = stack[--height];

		if (span != TREE_ROOT)
			last[span] = add_nodes(t, p, &p->spans[span], last[p->spans[span].parent]);
		for (uint32_t k = first[span + 1]; k > first[span]; k--)
			stack[height++] = (uint32_t)kids[k - 1];
	}
}

static void sum_up(struct tree *t)
{
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		t->nodes[i].total = t->nodes[i].self;
	for (uint32_t i = t->nr_nodes - 1; i > 0; i--)
		weight_add(&t->nodes[t->nodes[i].parent].total, &t->nodes[i].total);
}

/* Allocates memory for all nodes; the root has a node, but its span has no frame */
static struct tree_node *room_for_nodes(const struct paths *p)
{
	size_t nr = 1;

	for (uint32_t i = 0; i < p->nr; i++)
		nr += p->spans[i].nr;
	return reallocarray(NULL, nr, sizeof(struct tree_node));
}

static int make_tree(struct tree *t)
{
	const struct paths *p = &t->priv->paths;
	size_t nr = p->nr;
	uint32_t *rank = rank_frames(&t->priv->frames, p);
	uint32_t *first = calloc(nr + 2, sizeof(*first));
	uint64_t *kids = malloc(nr * sizeof(*kids));
	uint32_t *stack = malloc(nr * sizeof(*stack));
	uint32_t *last = malloc(nr * sizeof(*last));
	int err = -ENOMEM;

	t->nodes = room_for_nodes(p);
	if (rank && first && kids && stack && last && t->nodes) {
		sort_callees(p, rank, kids, first);
		make_nodes(t, kids, first, stack, last);
		sum_up(t);
		err = 0;
	}
	free(last);
	free(stack);
	free(kids);
	free(first);
	free(rank);
	return err;
}

int tree_finish(struct tree *t)
{
	int err = t->nodes ? 0 : make_tree(t);

	t->frames = t->priv->frames.all;
	t->nr_frames = t->priv->frames.nr;
	if (!err)
		paths_exit(&t->priv->paths);
	return err;
}
