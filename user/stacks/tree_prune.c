// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_prune.c - removes stacks that are too small to be seen from a call tree
 *
 * A picture shows some thousand frames of a million stacks.  The other frames need no nodes.
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_private.h"

#define LOOK_AHEAD	16	/* spans */

/* Spans are scattered in memory, so prefetch them before their turn comes */
static void look_ahead(const struct paths *p, const uint32_t *order, uint32_t at)
{
	if (at > 2 * LOOK_AHEAD)
		__builtin_prefetch(&p->spans[order[at - 2 * LOOK_AHEAD]], 1);
	if (at > LOOK_AHEAD)
		__builtin_prefetch(&p->spans[p->spans[order[at - LOOK_AHEAD]].parent], 1);
}

/*
 * Marks the spans that stay; visits callees before callers.  A span that is removed adds its weight to its
 * caller.  So if no callee stays, the own weight of a span is its total.
 */
static uint64_t mark(struct paths *p, const uint32_t *order, enum tree_unit unit, uint64_t least)
{
	uint64_t gone = 0;

	for (uint32_t i = p->nr - 1; i > 0; i--) {
		struct span *s = &p->spans[order[i]], *up = &p->spans[s->parent];
		uint64_t w = tree_weight(&s->self, unit);

		look_ahead(p, order, i);
		if (s->stays || w >= least) {
			s->stays = true;
			up->stays = true;
			continue;
		}
		if (w)
			gone += s->nr;
		weight_add(&up->self, &s->self);
	}
	p->spans[TREE_ROOT].stays = true;
	return gone;
}

/* Keeps only the marked spans; visits callers before callees, whose parents then have new numbers */
static int keep(struct paths *p, const uint32_t *order)
{
	uint32_t *number = malloc(p->nr * sizeof(*number));
	struct span *kept;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->nr; i++)
		nr += p->spans[i].stays;
	kept = malloc(nr * sizeof(*kept));
	if (!kept || !number) {
		free(kept);
		free(number);
		return -ENOMEM;
	}
	nr = 0;
	for (uint32_t i = 0; i < p->nr; i++) {
		const struct span *s = &p->spans[order[i]];

		if (!s->stays)
			continue;
		kept[nr] = *s;
		if (order[i] != TREE_ROOT)
			kept[nr].parent = number[s->parent];
		number[order[i]] = nr++;
	}
	free(number);
	free(p->spans);
	p->spans = kept;
	p->nr = nr;
	return 0;
}

int tree_prune(struct tree *t, enum tree_unit unit, uint64_t least, uint64_t *gone)
{
	struct paths *p = &t->priv->paths;
	uint32_t *order;
	int err;

	index_exit(&p->index);		/* no more stacks are added */
	order = paths_by_depth(p);
	if (!order)
		return -ENOMEM;
	*gone = mark(p, order, unit, least);
	err = keep(p, order);
	free(order);
	return err;
}
