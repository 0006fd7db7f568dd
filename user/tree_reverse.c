// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_reverse.c - a call tree that begins at the leaves
 */
#include <stdlib.h>

#include "tree.h"

struct tree *tree_reverse(const struct tree *t)
{
	struct frame *frames = malloc(TREE_MAX_DEPTH * sizeof(*frames));
	struct tree *out = tree_create();
	int err = frames && out ? 0 : -1;

	for (uint32_t i = 1; !err && i < t->nr_nodes; i++) {
		const struct weight *w = &t->nodes[i].self;
		size_t nr = 0;

		if (!w->samples && !w->ns)
			continue;
		for (uint32_t n = i; n != TREE_ROOT; n = t->nodes[n].parent)
			frames[nr++] = t->frames[t->nodes[n].frame];
		err = tree_add(out, frames, nr, w->samples, w->ns);
	}
	free(frames);
	if (!err)
		return out;
	tree_destroy(out);
	return NULL;
}
