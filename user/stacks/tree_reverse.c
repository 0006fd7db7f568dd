// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_reverse.c - reverses the stacks of a call tree, so that it begins at the leaves
 */
#include <stdlib.h>

#include "stacks/tree_private.h"

/* Adds all frames in the same order, so that they get the same ids */
static int copy_frames(struct frame_set *to, const struct frame_set *from)
{
	uint32_t number;
	int err = 0;

	for (uint32_t i = to->nr; !err && i < from->nr; i++)
		err = frame_set_number(to, &from->all[i], &number);
	return err;
}

static void turn_round(uint32_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
}

static int add_reversed(struct tree *to, const struct paths *from, uint32_t span)
{
	const struct weight *w = &from->spans[span].self;
	uint32_t *frames = to->priv->last;
	size_t nr;

	if (!w->samples && !w->ns)
		return 0;
	nr = paths_stack(from, span, frames);
	turn_round(frames, nr);
	for (size_t i = 0; i < nr; i++)
		paths_announce(&to->priv->paths, i, frames[i]);
	weight_add(&to->sum, w);
	return paths_add(&to->priv->paths, 0, frames, nr, w);
}

struct tree *tree_reverse(const struct tree *t)
{
	const struct paths *p = &t->priv->paths;
	struct tree *out = tree_create();
	int err = out ? copy_frames(&out->priv->frames, &t->priv->frames) : -1;

	for (uint32_t i = 1; !err && i < p->nr; i++)
		err = add_reversed(out, p, i);
	if (!err)
		return out;
	tree_destroy(out);
	return NULL;
}
