// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_tree.c - makes two call trees with the same indices
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_stacks.h"
#include "views/diff_tree.h"

/* Which side receives the weights of the next stacks */
struct adding {
	struct diff_tree *d;
	enum diff_side side;
};

static int add_to_both(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		       uint64_t ns)
{
	const struct adding *a = ctx;
	int err = tree_add(a->d->side[a->side], frames, nr, samples, ns);

	return err ? err : tree_add(a->d->side[!a->side], frames, nr, 0, 0);
}

int diff_tree_make(struct diff_tree *d, const struct tree *base, const struct tree *other)
{
	int err;

	d->side[DIFF_BASE] = tree_create();
	d->side[DIFF_OTHER] = tree_create();
	err = d->side[DIFF_BASE] && d->side[DIFF_OTHER] ? 0 : -ENOMEM;
	if (!err)
		err = tree_each_stack(base, add_to_both, &(struct adding){ d, DIFF_BASE });
	if (!err)
		err = tree_each_stack(other, add_to_both, &(struct adding){ d, DIFF_OTHER });
	if (!err)
		err = tree_finish(d->side[DIFF_BASE]);
	if (!err)
		err = tree_finish(d->side[DIFF_OTHER]);
	if (err)
		diff_tree_exit(d);
	return err;
}

void diff_tree_exit(struct diff_tree *d)
{
	tree_destroy(d->side[DIFF_BASE]);
	tree_destroy(d->side[DIFF_OTHER]);
	*d = (struct diff_tree){ 0 };
}

/* A path with its sort key */
struct ranked {
	uint64_t weight;
	uint32_t node;
};

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Is @node the outermost node of a path that only @side has? */
static bool begins(const struct diff_tree *d, enum diff_side side, uint32_t node,
		   enum tree_unit unit)
{
	uint32_t parent = d->side[side]->nodes[node].parent;

	return diff_tree_total(d, side, node, unit) && !diff_tree_total(d, !side, node, unit) &&
	       (parent == TREE_ROOT || diff_tree_total(d, !side, parent, unit));
}

int diff_tree_only(struct diff_paths *paths, const struct diff_tree *d, enum diff_side side,
		   enum tree_unit unit)
{
	const struct tree *t = d->side[side];
	struct ranked *all = malloc(t->nr_nodes * sizeof(*all));

	*paths = (struct diff_paths){ .nodes = malloc(t->nr_nodes * sizeof(*paths->nodes)) };
	if (!all || !paths->nodes) {
		free(all);
		free(paths->nodes);
		return -ENOMEM;
	}
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		if (begins(d, side, i, unit))
			all[paths->nr++] = (struct ranked){
				.weight = diff_tree_total(d, side, i, unit), .node = i,
			};
	qsort(all, paths->nr, sizeof(*all), by_weight);
	for (size_t i = 0; i < paths->nr; i++)
		paths->nodes[i] = all[i].node;
	free(all);
	return 0;
}
