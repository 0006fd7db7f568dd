// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wait_trees.c - makes call trees of waits, apart by what they waited for
 *
 * Most threads sleep most of the time, until there is work.  So sleep is in a tree of its own, without kernel threads.
 */
#include <errno.h>

#include "page/wait_trees.h"
#include "profile/waits.h"
#include "views/locks.h"

#define NR_STATES	(sizeof(((struct page *)NULL)->states) / sizeof(struct tree *))

/* Return: the tree of waits of one state that are not for a lock; NULL for none */
static struct tree *tree_of_state(const struct page *page, const struct profile_count *c, const struct frame *frames,
				  size_t nr)
{
	struct frame site;

	switch (wait_state(c->context)) {
	case KFLAME_CTX_STOPPED:
		return page->states[WAIT_TREE_STOPPED];
	case KFLAME_CTX_IOWAIT:
		return locks_find(frames, nr, &site) ? NULL : page->states[WAIT_TREE_IO];
	case KFLAME_CTX_UNINTERRUPTIBLE:
		return locks_find(frames, nr, &site) ? NULL : page->states[WAIT_TREE_D];
	default:
		return NULL;
	}
}

/* A count_fn */
static int take(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct page *page = ctx;
	const struct profile_count *c = &page->p->counts[count];
	struct tree *of_state = tree_of_state(page, c, frames, nr);
	int err = 0;

	if (of_state)
		err = tree_add(of_state, frames, nr, c->samples, c->weight_ns);
	if (err)
		return err;
	if (wait_state(c->context) != KFLAME_CTX_INTERRUPTIBLE)
		return tree_add(page->blocked_tree, frames, nr, c->samples, c->weight_ns);
	if (c->aspace == PROFILE_NONE)
		return 0;
	return tree_add(page->sleeps_tree, frames, nr, c->samples, c->weight_ns);
}

static int create(struct tree **t)
{
	*t = tree_create();
	return *t ? 0 : -ENOMEM;
}

int wait_trees_make(struct page *page, uint32_t kind)
{
	int err = create(&page->blocked_tree);

	if (!err)
		err = create(&page->sleeps_tree);
	for (size_t i = 0; !err && i < NR_STATES; i++)
		err = create(&page->states[i]);
	if (!err)
		err = profile_each_count(page->p, take, page);
	if (!err)
		err = tree_finish(page->blocked_tree);
	if (!err)
		err = tree_finish(page->sleeps_tree);
	for (size_t i = 0; !err && i < NR_STATES; i++)
		err = tree_finish(page->states[i]);
	if (!err)
		err = heavy_paths_find(&page->blocked, page->blocked_tree, TREE_NS, kind, HEAVY_PATHS);
	return err ? err : heavy_paths_find(&page->sleeps, page->sleeps_tree, TREE_NS, kind, HEAVY_PATHS);
}

void wait_trees_exit(struct page *page)
{
	tree_destroy(page->blocked_tree);
	tree_destroy(page->sleeps_tree);
	for (size_t i = 0; i < NR_STATES; i++)
		tree_destroy(page->states[i]);
}
