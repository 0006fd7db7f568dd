// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c - a call tree whose outermost frames are threads
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "convert/threads.h"
#include "stacks/load.h"

struct naming_threads {
	thread_fn fn;
	void *ctx;
	struct idmap name_of;	/* by id of process and thread: index in .names */
	char **names;
	size_t nr, cap;
	struct frame frames[TREE_MAX_DEPTH + 1];
};

/* Without separate threads, a process has one */
static uint32_t thread_of(const struct sample *s)
{
	return s->tid ? s->tid : s->tgid;
}

static const char *comm_of(const struct sample *s)
{
	if (!s->tgid && !s->tid)
		return "swapper";
	for (size_t i = 0; i < s->nr; i++)
		if (s->frames[i].kind == FRAME_COMM)
			return s->frames[i].name;
	return "[no name]";
}

/* A thread keeps its first name, because a thread with two names would be two.  Return: NULL without memory */
static const char *name_of(struct naming_threads *a, const struct sample *s)
{
	uint64_t id = (uint64_t)s->tgid << 32 | thread_of(s);
	uint32_t i = idmap_find(&a->name_of, id);

	if (i != INDEX_NONE)
		return a->names[i];
	if (grow(&a->names, a->nr, &a->cap, sizeof(*a->names)))
		return NULL;
	a->names[a->nr] = strdup(comm_of(s));
	if (!a->names[a->nr] || idmap_set(&a->name_of, id, (uint32_t)a->nr)) {
		free(a->names[a->nr]);
		return NULL;
	}
	return a->names[a->nr++];
}

/* A sample_fn */
static int put_before(void *ctx, const struct sample *s)
{
	struct naming_threads *a = ctx;
	size_t nr = s->nr < TREE_MAX_DEPTH ? s->nr : TREE_MAX_DEPTH;
	char ids[32];

	a->frames[0] = (struct frame){ .name = name_of(a, s), .file = ids, .kind = FRAME_ROOT };
	if (!a->frames[0].name)
		return load_failed(-ENOMEM, "converting the samples of threads");
	snprintf(ids, sizeof(ids), "%" PRIu32 "/%" PRIu32, s->tgid, thread_of(s));
	memcpy(a->frames + 1, s->frames, nr * sizeof(*s->frames));
	return a->fn(a->ctx, s, a->frames, nr + 1);
}

int threads_each(struct source *s, thread_fn fn, void *ctx)
{
	struct naming_threads *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return load_failed(-ENOMEM, "converting the samples of threads");
	a->fn = fn;
	a->ctx = ctx;
	err = source_each(s, put_before, a);
	for (size_t i = 0; i < a->nr; i++)
		free(a->names[i]);
	free(a->names);
	idmap_exit(&a->name_of);
	free(a);
	return err;
}

/* A thread_fn */
static int add(void *tree, const struct sample *s, const struct frame *frames, size_t nr)
{
	return tree_add(tree, frames, nr, s->samples, s->ns);
}

int threads_tree(struct source *s, struct tree **tree)
{
	struct tree *t;
	int err;

	if (!s->profile)
		return source_tree(s, tree);
	t = tree_create();
	if (!t)
		return load_failed(-ENOMEM, "converting the samples of threads");
	err = threads_each(s, add, t);
	if (err)
		tree_destroy(t);
	else
		*tree = t;
	return err;
}

struct part threads_all(const struct source *s, const struct tree *t)
{
	return (struct part){
		.base = s->profile ? 1 : 0, .begin = 1, .end = t->nr_nodes, .total = tree_sum(t),
	};
}

bool threads_next(const struct tree *t, enum tree_unit unit, struct part *p)
{
	uint32_t i = p->thread ? p->end : 1;

	while (p->base && i < t->nr_nodes) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t end = i + 1;

		while (end < t->nr_nodes && t->nodes[end].depth > 1)
			end++;
		/* With one thread, all of them say the same */
		if (!p->thread && tree_weight(&n->total, unit) == tree_weight(&p->total, unit))
			return false;
		if (tree_weight(&n->total, unit)) {
			*p = (struct part){
				.thread = &t->frames[n->frame], .base = 1, .begin = i + 1, .end = end,
				.total = n->total,
			};
			return true;
		}
		i = end;
	}
	return false;
}

void threads_id(const struct part *p, unsigned int *pid, unsigned int *tid)
{
	*pid = *tid = 0;
	if (p->thread && sscanf(p->thread->file, "%u/%u", pid, tid) != 2)
		*tid = 0;
}
