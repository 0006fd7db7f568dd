// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_first.c - the first picture: what a browser draws before it has read the data
 */
#include <errno.h>
#include <stdlib.h>

#include "html/page_parts.h"
#include "stacks/tree.h"

#define FEW_PATHS	200000u	/* a browser reads so many at once */
#define MAX_NODES	4000u
#define MAX_BYTES	95000u

bool page_is_in_weight(const struct view_page *page)
{
	return page->event < page->d->nr_events && !page->d->events[page->event].is_timer;
}

/* The stack of a fact: its thread, and the functions of its path.  Return: how many frames */
static size_t stack_of(const struct view_data *d, const struct view_fact *f, struct frame *frames)
{
	uint32_t comm = d->contexts[f->context].value[VIEW_COMM];
	size_t nr = d->paths[f->path].depth, first = 0;

	if (comm != VIEW_NONE) {
		frames[0] = (struct frame){ .name = d->values[VIEW_COMM].all[comm].name, .kind = FRAME_COMM };
		first = 1;
	}
	for (uint32_t path = f->path; path != VIEW_ROOT; path = d->paths[path].parent)
		frames[first + d->paths[path].depth - 1] = d->frames.all[d->paths[path].frame];
	return first + nr;
}

static int add_facts(struct tree *t, const struct view_page *page)
{
	const struct view_data *d = page->d;
	struct frame *frames = calloc(TREE_MAX_DEPTH + 2, sizeof(*frames));
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->nr_facts && !err; i++) {
		const struct view_fact *f = &d->facts[i];

		if (d->contexts[f->context].value[VIEW_EVENT] != page->event)
			continue;
		err = tree_add(t, frames, stack_of(d, f, frames), page_is_in_weight(page) ? f->weight : f->samples, 0);
	}
	free(frames);
	return err;
}

static int by_weight(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Return: the least weight of the @most heaviest nodes; 0 without memory */
static uint64_t least_of(const struct tree *t, size_t most)
{
	uint64_t *all = malloc(t->nr_nodes * sizeof(*all)), least;

	if (!all)
		return 0;
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		all[i] = t->nodes[i].total.samples;
	qsort(all, t->nr_nodes, sizeof(*all), by_weight);
	least = most < t->nr_nodes ? all[most] + 1 : 1;
	free(all);
	return least;
}

/* Appends the frames of nodes, each at its first node */
static void put_frame(struct blob *names, struct blob *kinds, const struct frame *f)
{
	const uint8_t kind = (uint8_t)f->kind;

	blob_text(names, f->name);
	blob_bytes(names, "", 1);
	blob_bytes(kinds, &kind, 1);
}

static void put_nodes(struct blob *b, const struct tree *t, uint64_t least)
{
	struct blob names = { 0 }, kinds = { 0 }, depths = { 0 }, frames = { 0 }, totals = { 0 };
	uint32_t *number = calloc(t->nr_frames, sizeof(*number)), nr = 0, depth = 0;

	for (uint32_t i = 1; number && i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->total.samples < least)
			continue;
		if (!number[n->frame]) {
			number[n->frame] = ++nr;
			put_frame(&names, &kinds, &t->frames[n->frame]);
		}
		blob_number(&depths, depth + 1 - n->depth);
		blob_number(&frames, number[n->frame]);
		blob_number(&totals, n->total.samples);
		depth = n->depth;
	}
	if (!number)
		b->err = -ENOMEM;
	free(number);
	blob_number(b, t->nodes[TREE_ROOT].total.samples);
	blob_column(b, &names);
	blob_column(b, &kinds);
	blob_column(b, &depths);
	blob_column(b, &frames);
	blob_column(b, &totals);
}

static int put_picture(struct blob *b, const struct view_page *page)
{
	struct tree *t = tree_create();
	struct blob picture = { 0 };
	uint64_t gone;
	int err = t ? add_facts(t, page) : -ENOMEM;

	if (!err) {
		tree_drop_idle(t);
		err = tree_prune(t, TREE_SAMPLES, tree_sum(t).samples / MAX_NODES, &gone);
	}
	if (!err)
		err = tree_finish(t);
	for (size_t most = MAX_NODES; !err && most; most /= 2) {
		picture.len = 0;
		put_nodes(&picture, t, least_of(t, most));
		if (picture.len <= MAX_BYTES || picture.err)
			break;
	}
	tree_destroy(t);
	blob_column(b, &picture);
	return err;
}

static void put_line(struct blob *b, const char *s)
{
	struct blob text = { 0 };

	blob_text(&text, s ? s : "");
	blob_column(b, &text);
}

int page_first(struct blob *b, const struct view_page *page)
{
	struct blob none = { 0 };

	put_line(b, page->title);
	put_line(b, page->line);
	if (page->d->nr_paths > FEW_PATHS && !page->d->values[VIEW_SIDE].nr && page->root == VIEW_DIMS)
		return put_picture(b, page);
	blob_column(b, &none);
	return 0;
}
