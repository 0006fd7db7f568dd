// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c - adds stacks to a call tree
 *
 * Each distinct frame gets an id (frame_set.h).  Stacks of ids are kept in a compact form (path_tree.h).
 * tree_finish() makes the nodes once it is known which stacks are drawn.
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_private.h"

int tree_add(struct tree *t, const struct frame *frames, size_t nr,
	     uint64_t samples, uint64_t ns)
{
	return tree_add_next(t, 0, frames, nr, samples, ns);
}

/* Looks up the ids of the frames from @from on.  @cut: the note TREE_DEEPER replaces the last frame */
static int number_frames(struct tree_private *p, const struct frame *frames, size_t from, size_t nr,
			 bool cut)
{
	static const struct frame deeper = { .name = TREE_DEEPER, .kind = FRAME_NOTE };
	int err;

	for (size_t i = from; i < nr; i++) {
		err = frame_set_number(&p->frames, cut && i == nr - 1 ? &deeper : &frames[i],
				       &p->last[i]);
		if (err)
			return err;
		paths_announce(&p->paths, i, p->last[i]);
	}
	return 0;
}

int tree_add_next(struct tree *t, size_t shared, const struct frame *frames, size_t nr,
		  uint64_t samples, uint64_t ns)
{
	struct tree_private *p = t->priv;
	const struct weight w = { samples, ns };
	struct weight sum;
	bool cut = nr > TREE_MAX_DEPTH;
	size_t same = 0;
	int err;

	if (__builtin_add_overflow(t->sum.samples, samples, &sum.samples) ||
	    __builtin_add_overflow(t->sum.ns, ns, &sum.ns))
		return -EOVERFLOW;
	if (cut)
		nr = TREE_MAX_DEPTH;

	/* The last frame that is kept may be the note in one stack and a real frame in the other. */
	while (same < shared && same < nr && same < p->nr_last && same < TREE_MAX_DEPTH - 1)
		same++;
	while (same < nr - cut && same < p->nr_last &&
	       frame_is_same(&p->frames.all[p->last[same]], &frames[same]))
		same++;
	p->nr_last = 0;
	err = number_frames(p, frames, same, nr, cut);
	if (!err)
		err = paths_add(&p->paths, same, p->last, nr, &w);
	if (err)
		return err;
	p->nr_last = nr;
	t->sum = sum;
	return 0;
}

int tree_add_stack(void *tree, const struct frame *frames, size_t nr,
		   uint64_t samples, uint64_t ns)
{
	return tree_add(tree, frames, nr, samples, ns);
}

struct weight tree_sum(const struct tree *t)
{
	return t->sum;
}

struct tree *tree_create(void)
{
	static const struct frame root = { .name = "all", .kind = FRAME_COMM };
	struct tree *t = calloc(1, sizeof(*t));
	uint32_t number;

	if (!t)
		return NULL;
	t->priv = calloc(1, sizeof(*t->priv));
	/* Added so that no lookup finds it: a thread named "all" is another frame than the root. */
	if (t->priv && !paths_init(&t->priv->paths) &&
	    !frame_set_add(&t->priv->frames, &root, &number))
		return t;
	tree_destroy(t);
	return NULL;
}

void tree_destroy(struct tree *t)
{
	if (!t)
		return;
	if (t->priv) {
		frame_set_exit(&t->priv->frames);
		paths_exit(&t->priv->paths);
		free(t->priv);
	}
	free(t->nodes);
	free(t);
}
