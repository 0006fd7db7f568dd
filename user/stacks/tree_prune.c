// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_prune.c - a call tree without what is too small to be seen
 *
 * Of a million stacks some thousand frames can be drawn; nodes of the others need not be made.
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_private.h"

#define LOOK_AHEAD	16	/* spans */

/* Spans are anywhere in memory: they are on their way when their turn comes */
static void look_ahead(const struct paths *p, const uint32_t *order, uint32_t at)
{
	if (at > 2 * LOOK_AHEAD)
		__builtin_prefetch(&p->spans[order[at - 2 * LOOK_AHEAD]], 1);
	if (at > LOOK_AHEAD)
		__builtin_prefetch(&p->spans[p->spans[order[at - LOOK_AHEAD]].parent], 1);
}

/*
 * Callees before callers.  What goes hands its weight down; so where no callee stays, a span's own
 * weight is all that its frames have.
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

/* Callers before callees, so that a caller's new number is there */
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

	index_exit(&p->index);		/* nothing is looked up any more */
	order = paths_by_depth(p);
	if (!order)
		return -ENOMEM;
	*gone = mark(p, order, unit, least);
	err = keep(p, order);
	free(order);
	return err;
}
