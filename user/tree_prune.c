// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_prune.c - a call tree without what is too small to be seen
 *
 * Of a million stacks some thousand frames can be drawn; sums and order of the
 * others need not be made.
 */
#include <errno.h>
#include <stdlib.h>

#include "tree.h"

#define LOOK_AHEAD	16	/* nodes */

/* What .child says of a node here */
enum { NOT_SEEN, GOES, STAYS };

/*
 * From the last node to the first, callees before callers.  What goes hands its weight
 * down; so where no callee stays, a node's own weight is all that it has.
 */
static uint64_t mark(struct tree *t, enum tree_unit unit, uint64_t least)
{
	uint64_t gone = 0;

	for (uint32_t i = 1; i < t->nr_nodes; i++)
		t->nodes[i].child = NOT_SEEN;
	for (uint32_t i = t->nr_nodes - 1; i > 0; i--) {
		struct tree_node *n = &t->nodes[i];
		struct tree_node *up = &t->nodes[n->parent];
		uint64_t w = tree_weight(&n->self, unit);

		/* A caller may be far away: it is on its way when its turn comes */
		if (i > LOOK_AHEAD)
			__builtin_prefetch(&t->nodes[t->nodes[i - LOOK_AHEAD].parent], 1);
		if (n->child == STAYS || w >= least) {
			n->child = STAYS;
			up->child = STAYS;
			continue;
		}
		n->child = GOES;
		gone += w != 0;
		up->self.samples += n->self.samples;
		up->self.ns += n->self.ns;
	}
	return gone;
}

int tree_prune(struct tree *t, enum tree_unit unit, uint64_t least, uint64_t *gone)
{
	struct tree_node *kept;
	uint32_t nr = 1;

	*gone = mark(t, unit, least);
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		nr += t->nodes[i].child == STAYS;
	kept = malloc(nr * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	/* .child becomes the new index: a caller's before its callees need it */
	nr = 0;
	t->nodes[TREE_ROOT].child = STAYS;
	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		if (t->nodes[i].child != STAYS)
			continue;
		kept[nr] = t->nodes[i];
		if (i != TREE_ROOT)
			kept[nr].parent = t->nodes[kept[nr].parent].child;
		t->nodes[i].child = nr++;
	}
	free(t->nodes);
	t->nodes = kept;
	t->nr_nodes = nr;
	return 0;
}
