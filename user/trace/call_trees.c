// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_trees.c - text of the tracer function_graph becomes trees of calls, one tree for each outermost call
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/call_trees.h"

void call_trees_init(struct call_trees *t, call_tree_fn done, void *ctx)
{
	*t = (struct call_trees){ .done = done, .ctx = ctx, .own_pid = -1 };
}

/* ------------------------------------------------------------------- a task */

/* Return: the task of a line; NULL if memory is short */
static struct growing_tree *task_of(struct call_trees *t, const struct graph_line *l)
{
	/* Each CPU has an idle task, and all of them have the pid 0 */
	uint64_t key = l->pid ? (uint64_t)l->pid : 1ull << 32 | l->cpu;
	uint32_t i = idmap_find(&t->task_of, key);

	if (i != INDEX_NONE)
		return &t->tasks[i];
	if (grow(&t->tasks, t->nr_tasks, &t->cap_tasks, sizeof(*t->tasks)) ||
	    idmap_set(&t->task_of, key, (uint32_t)t->nr_tasks))
		return NULL;
	t->tasks[t->nr_tasks] = (struct growing_tree){ .tree.pid = l->pid };
	return &t->tasks[t->nr_tasks++];
}

/* Report a tree, and make it empty */
static int emit(struct call_trees *t, struct growing_tree *g)
{
	int err = g->tree.nr ? t->done(t->ctx, t, &g->tree) : 0;

	t->held -= g->tree.nr;
	t->left_out += g->tree.left_out;
	free(g->tree.calls);
	free(g->open);
	*g = (struct growing_tree){ .tree.pid = g->tree.pid };
	return err;
}

/* Return: the new call; NULL if there is no room or no memory, with *@err */
static struct call *add_call(struct call_trees *t, struct growing_tree *g, const struct graph_line *l, int *err)
{
	uint32_t name;

	*err = 0;
	if (g->tree.nr >= TREE_CALLS || t->held >= HELD_CALLS) {
		g->tree.left_out++;
		return NULL;
	}
	name = intern_bytes(&t->names, l->name, l->len, NULL);
	if (name == INDEX_NONE || grow(&g->tree.calls, g->tree.nr, &g->tree.cap, sizeof(*g->tree.calls))) {
		*err = -ENOMEM;
		return NULL;
	}
	if (!g->tree.nr) {
		memcpy(g->tree.comm, l->comm, sizeof(g->tree.comm));
		g->tree.cpu = l->cpu;
	}
	t->held++;
	g->tree.calls[g->tree.nr] = (struct call){
		.from_ns = l->time_ns, .duration_ns = l->duration_ns, .name = name, .cpu = l->cpu,
		.depth = (uint32_t)g->nr_open,
	};
	return &g->tree.calls[g->tree.nr++];
}

/* The returns of calls that are at least as deep were lost */
static int close_to(struct call_trees *t, struct growing_tree *g, uint32_t depth)
{
	while (g->nr_open && g->open[g->nr_open - 1].depth >= depth)
		g->tree.calls[g->open[--g->nr_open].call].end_lost = true;
	return g->nr_open ? 0 : emit(t, g);
}

static int take_entry(struct call_trees *t, struct growing_tree *g, const struct graph_line *l)
{
	int err = close_to(t, g, l->depth);
	struct call *c;

	if (err)
		return err;
	if (grow(&g->open, g->nr_open, &g->cap_open, sizeof(*g->open)))
		return -ENOMEM;
	c = add_call(t, g, l, &err);
	if (c)
		g->open[g->nr_open++] = (struct open_call){ g->tree.nr - 1, l->depth };
	return err;
}

static int take_leaf(struct call_trees *t, struct growing_tree *g, const struct graph_line *l)
{
	int err = close_to(t, g, l->depth);

	if (!err)
		add_call(t, g, l, &err);
	return err || g->nr_open ? err : emit(t, g);
}

static bool is_call_of(const struct call_trees *t, const struct call *c, const struct graph_line *l)
{
	const struct interned *name = &t->names.all[c->name];

	return !l->len || (name->len == l->len && !memcmp(name->bytes, l->name, l->len));
}

/* A return without its call.  The duration says when the call began */
static int take_late_exit(struct call_trees *t, struct growing_tree *g, const struct graph_line *l)
{
	struct graph_line whole = *l;
	struct call *c;
	int err;

	/* Its call was left out, or it is below a call that is known */
	if (g->nr_open || !l->len)
		return 0;
	whole.time_ns = l->time_ns > l->duration_ns ? l->time_ns - l->duration_ns : 0;
	c = add_call(t, g, &whole, &err);
	if (c)
		c->begin_lost = true;
	return err ? err : emit(t, g);
}

static int take_exit(struct call_trees *t, struct growing_tree *g, const struct graph_line *l)
{
	int err = g->nr_open ? close_to(t, g, l->depth + 1) : 0;
	struct call *c = g->nr_open ? &g->tree.calls[g->open[g->nr_open - 1].call] : NULL;

	if (err)
		return err;
	if (!c || g->open[g->nr_open - 1].depth != l->depth || !is_call_of(t, c, l))
		return take_late_exit(t, g, l);
	c->duration_ns = l->duration_ns;
	return --g->nr_open ? 0 : emit(t, g);
}

/* -------------------------------------------------------------------- lines */

static int take_line(struct call_trees *t, const struct graph_line *l)
{
	struct growing_tree *g;

	if (l->kind == GRAPH_LOST) {
		t->lost += l->lost;
		t->losses++;
		return 0;
	}
	if (l->kind == GRAPH_OTHER || l->pid == t->own_pid)
		return 0;
	g = task_of(t, l);
	if (!g)
		return -ENOMEM;
	switch (l->kind) {
	case GRAPH_ENTRY:
		return take_entry(t, g, l);
	case GRAPH_LEAF:
		return take_leaf(t, g, l);
	default:
		return take_exit(t, g, l);
	}
}

/*
 * A line whose name has a newline waits for its rest.  If what follows begins a line, there is no rest: drop what waits.
 */
static void drop_unfinished(struct call_trees *t)
{
	const char *newline = memrchr(t->line, '\n', t->line_len);
	size_t len = newline ? t->line_len - (size_t)(newline + 1 - t->line) : 0;
	struct graph_line l;

	if (!newline || graph_line_parse(&l, newline + 1, len) == GRAPH_OTHER)
		return;
	memmove(t->line, newline + 1, len);
	t->line_len = len;
	t->unreadable++;
}

/* Return: 0 or a negative errno */
static int end_line(struct call_trees *t)
{
	struct graph_line l;

	drop_unfinished(t);
	if (graph_line_parse(&l, t->line, t->line_len) != GRAPH_PART) {
		t->line_len = 0;
		return take_line(t, &l);
	}
	if (t->line_len < GRAPH_LONGEST) {
		t->line[t->line_len++] = '\n';
	} else {
		t->unreadable++;
		t->line_len = 0;
	}
	return 0;
}

int call_trees_feed(struct call_trees *t, const char *text, size_t len)
{
	const char *end = text + len;
	int err = 0;

	for (; !err && text < end; text++) {
		if (*text == '\n')
			err = end_line(t);
		else if (t->line_len < GRAPH_LONGEST)
			t->line[t->line_len++] = *text;
	}
	return err;
}

int call_trees_finish(struct call_trees *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->nr_tasks; i++)
		err = close_to(t, &t->tasks[i], 0);
	return err;
}

void call_trees_exit(struct call_trees *t)
{
	for (size_t i = 0; i < t->nr_tasks; i++) {
		free(t->tasks[i].tree.calls);
		free(t->tasks[i].open);
	}
	free(t->tasks);
	intern_exit(&t->names);
	idmap_exit(&t->task_of);
}
