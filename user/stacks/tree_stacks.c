// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_stacks.c - lists the stacks of a call tree
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_private.h"
#include "stacks/tree_stacks.h"

size_t tree_stack(const struct tree *t, uint32_t node, struct frame *frames)
{
	size_t nr = t->nodes[node].depth;

	for (size_t i = nr; i-- > 0; node = t->nodes[node].parent)
		frames[i] = t->frames[t->nodes[node].frame];
	return nr;
}

int tree_each_stack(const struct tree *t, stack_fn fn, void *ctx)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 1, sizeof(*frames));
	int err = frames ? 0 : -ENOMEM;

	for (uint32_t node = 1; node < t->nr_nodes && !err; node++) {
		const struct weight *self = &t->nodes[node].self;

		if (self->samples || self->ns)
			err = fn(ctx, frames, tree_stack(t, node, frames), self->samples, self->ns);
	}
	free(frames);
	return err;
}

int tree_each_added(const struct tree *t, stack_fn fn, void *ctx)
{
	const struct paths *p = &t->priv->paths;
	struct frame *frames = calloc(TREE_MAX_DEPTH, sizeof(*frames));
	uint32_t *numbers = malloc(TREE_MAX_DEPTH * sizeof(*numbers));
	int err = frames && numbers ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < p->nr && !err; i++) {
		const struct weight *self = &p->spans[i].self;
		size_t nr;

		if (!self->samples && !self->ns)
			continue;
		nr = paths_stack(p, i, numbers);
		for (size_t k = 0; k < nr; k++)
			frames[k] = t->priv->frames.all[numbers[k]];
		err = fn(ctx, frames, nr, self->samples, self->ns);
	}
	free(frames);
	free(numbers);
	return err;
}
