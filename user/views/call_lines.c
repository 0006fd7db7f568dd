// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_lines.c - a call tree as lines of text
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "views/call_lines.h"

/* A shown node; .rank is its position in the tree's order, which is by name */
struct shown {
	uint64_t weight;
	uint32_t node;
	uint32_t parent;
};

static int by_parent_and_weight(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Return: the shown nodes, with children of one caller together; NULL if memory is short */
static struct shown *choose(struct call_lines *l, const struct tree *t, enum tree_unit unit,
			    uint64_t least)
{
	struct shown *shown = malloc(t->nr_nodes * sizeof(*shown));

	if (!shown)
		return NULL;
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint64_t weight = tree_weight(&n->total, unit);

		if (!weight)
			continue;
		if (weight < least)
			l->hidden++;
		else
			shown[l->nr++] = (struct shown){ .weight = weight, .node = i,
							 .parent = n->parent };
	}
	qsort(shown, l->nr, sizeof(*shown), by_parent_and_weight);
	return shown;
}

/* Push the callees of a line, with the first one to show on top.  Return: the new height */
static size_t push_callees(struct call_line *stack, size_t height, const struct call_line *above,
			   const struct shown *shown, size_t from, size_t to)
{
	uint32_t level = above ? above->level + 1 : 0;

	for (size_t i = to; i-- > from;)
		stack[height++] = (struct call_line){
			.node = shown[i].node, .level = level, .last = i + 1 == to,
		};
	return height;
}

static bool is_chained(const struct tree *t, const struct call_line *above,
		       const struct shown *only, enum tree_unit unit)
{
	return above && above->level && tree_weight(&t->nodes[above->node].total, unit) == only->weight;
}

/* Order the shown nodes with an explicit stack; first[] has the index of each node's first callee */
static void order_lines(struct call_lines *l, const struct tree *t, enum tree_unit unit,
			const struct shown *shown, const uint32_t *first, struct call_line *stack)
{
	const struct call_line *above = NULL;
	size_t nr = 0, height = 0;
	uint32_t node = TREE_ROOT;

	for (;;) {
		size_t from = first[node], to = from;

		while (from != TREE_NONE && to < l->nr && shown[to].parent == node)
			to++;
		if (from != TREE_NONE)
			height = push_callees(stack, height, above, shown, from, to);
		if (from != TREE_NONE && to - from == 1 && is_chained(t, above, &shown[from], unit)) {
			stack[height - 1].level = above->level;
			stack[height - 1].chained = true;
		}
		if (!height)
			return;
		l->all[nr] = stack[--height];
		above = &l->all[nr++];
		node = above->node;
	}
}

int call_lines_make(struct call_lines *l, const struct tree *t, enum tree_unit unit,
		    uint64_t least)
{
	uint32_t *first = malloc(t->nr_nodes * sizeof(*first));
	struct call_line *stack;
	struct shown *shown;
	int err = -ENOMEM;

	*l = (struct call_lines){ 0 };
	shown = choose(l, t, unit, least);
	l->all = malloc((l->nr + 1) * sizeof(*l->all));
	stack = malloc((l->nr + 1) * sizeof(*stack));
	if (first && shown && l->all && stack) {
		memset(first, 0xff, t->nr_nodes * sizeof(*first));	/* TREE_NONE */
		for (size_t i = l->nr; i-- > 0;)
			first[shown[i].parent] = (uint32_t)i;
		order_lines(l, t, unit, shown, first, stack);
		err = 0;
	} else {
		call_lines_exit(l);
	}
	free(stack);
	free(shown);
	free(first);
	return err;
}

void call_lines_exit(struct call_lines *l)
{
	free(l->all);
	*l = (struct call_lines){ 0 };
}
