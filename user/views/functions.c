// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

struct order {
	enum tree_unit unit;
	enum functions_sort sort;
};

static int compare(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct function *x = a, *y = b;
	const struct order *o = ctx;
	int self = compare(tree_weight(&x->self, o->unit), tree_weight(&y->self, o->unit));
	int total = compare(tree_weight(&x->total, o->unit), tree_weight(&y->total, o->unit));
	int d = o->sort == SORT_TOTAL ? total : self;

	if (!d)
		d = o->sort == SORT_TOTAL ? self : total;
	if (!d)
		d = strcmp(x->frame->name, y->frame->name);
	if (!d)
		d = strcmp(x->frame->file ? x->frame->file : "",
			   y->frame->file ? y->frame->file : "");
	return d ? d : (int)x->frame->kind - (int)y->frame->kind;
}

static void add(struct weight *to, const struct weight *w)
{
	to->samples += w->samples;
	to->ns += w->ns;
}

/*
 * Walks callers before callees and keeps the way from the root at hand.  A
 * node's total counts for its function unless the function is already on that
 * way: then the outer one has it.
 */
static void sum_up(struct function *rows, uint32_t *on_way, const struct tree *t)
{
	uint32_t way[TREE_MAX_DEPTH + 1];
	uint32_t height = 0;

	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[t->order[i]];

		while (height > n->depth)
			on_way[way[--height]]--;
		add(&rows[n->frame].self, &n->self);
		if (!on_way[n->frame])
			add(&rows[n->frame].total, &n->total);
		on_way[n->frame]++;
		way[height++] = n->frame;
	}
}

int functions_collect(struct functions *f, const struct tree *t, enum tree_unit unit,
		      enum functions_sort sort)
{
	struct order o = { unit, sort };
	uint32_t *on_way = calloc(t->nr_frames, sizeof(*on_way));

	f->nr = 0;
	f->rows = calloc(t->nr_frames, sizeof(*f->rows));
	if (!f->rows || !on_way) {
		free(f->rows);
		free(on_way);
		f->rows = NULL;
		return -ENOMEM;
	}
	sum_up(f->rows, on_way, t);
	free(on_way);
	for (uint32_t i = 1; i < t->nr_frames; i++) {
		if (t->frames[i].kind == FRAME_COMM || t->frames[i].kind == FRAME_ROOT ||
		    !tree_weight(&f->rows[i].total, unit))
			continue;
		f->rows[f->nr] = f->rows[i];
		f->rows[f->nr++].frame = &t->frames[i];
	}
	qsort_r(f->rows, f->nr, sizeof(*f->rows), by_weight, &o);
	return 0;
}

int functions_threads(struct functions *f, const struct tree *t, enum tree_unit unit)
{
	struct order o = { unit, SORT_TOTAL };
	size_t nr = 0;

	for (uint32_t i = 1; i < t->nr_nodes; i++)
		nr += t->nodes[i].depth == 1;
	f->nr = 0;
	f->rows = calloc(nr ? nr : 1, sizeof(*f->rows));
	if (!f->rows)
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->depth != 1 || !tree_weight(&n->total, unit))
			continue;
		f->rows[f->nr++] = (struct function){
			.frame = &t->frames[n->frame], .self = n->self, .total = n->total,
		};
	}
	qsort_r(f->rows, f->nr, sizeof(*f->rows), by_weight, &o);
	return 0;
}
