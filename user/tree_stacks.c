// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_stacks.c - the stacks that are in a call tree
 */
#include <errno.h>
#include <stdlib.h>

#include "tree_stacks.h"

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

	for (uint32_t i = 1; i < t->nr_nodes && !err; i++) {
		uint32_t node = t->order[i];
		const struct weight *self = &t->nodes[node].self;

		if (self->samples || self->ns)
			err = fn(ctx, frames, tree_stack(t, node, frames), self->samples, self->ns);
	}
	free(frames);
	return err;
}
