// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - sums up a call tree by function, by file, or by thread
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/names.h"
#include "views/functions.h"

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

/* The row of a node's self weight.  @way: rows from the root to the node.  @seam: index of the first waker's seam there */
static uint32_t row_of_self(const uint32_t *way, uint32_t height, uint32_t seam)
{
	if (seam >= height)
		return way[height - 1];
	/* A thread waits where it blocked, and not in the frames of its waker */
	return seam && way[seam - 1] != TREE_NONE ? way[seam - 1] : way[seam];
}

/*
 * Walk callers before callees, and keep the path from the root at hand.  A node's total counts for its
 * row. If the row is already on the path, the outer node has counted it.  @row_of is the row of each
 * frame, or TREE_NONE.
 */
static void sum_up(struct function *rows, uint32_t *on_way, const struct tree *t,
		   const uint32_t *row_of)
{
	uint32_t way[TREE_MAX_DEPTH + 1];
	uint32_t height = 0, seam = TREE_NONE;

	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t row = row_of[n->frame], self;

		while (height > n->depth)
			if (way[--height] != TREE_NONE)
				on_way[way[height]]--;
		if (seam >= height)
			seam = frame_is_waker_seam(&t->frames[n->frame]) ? height : TREE_NONE;
		way[height++] = row;
		self = row_of_self(way, height, seam);
		if (self != TREE_NONE)
			weight_add(&rows[self].self, &n->self);
		if (row == TREE_NONE)
			continue;
		if (!on_way[row]++)
			weight_add(&rows[row].total, &n->total);
	}
}

/* Remove rows without weight, and sort the others */
static void keep_and_sort(struct functions *f, size_t nr, struct order *o)
{
	f->nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (tree_weight(&f->rows[i].total, o->unit))
			f->rows[f->nr++] = f->rows[i];
	qsort_r(f->rows, f->nr, sizeof(*f->rows), by_weight, o);
}

/*
 * Make a table with at most one row for each frame.  Frees @row_of; NULL means that memory was
 * short.  Frames of rows belong to the tree, unless @f->made has them.
 */
static int collect(struct functions *f, const struct tree *t, struct order o, uint32_t *row_of)
{
	uint32_t *on_way = calloc(t->nr_frames, sizeof(*on_way));
	int err = -ENOMEM;

	f->nr = 0;
	f->rows = calloc(t->nr_frames, sizeof(*f->rows));
	if (f->rows && on_way && row_of) {
		sum_up(f->rows, on_way, t, row_of);
		for (uint32_t i = 0; i < t->nr_frames; i++)
			f->rows[i].frame = f->made ? &f->made[i] : &t->frames[i];
		keep_and_sort(f, t->nr_frames, &o);
		err = 0;
	} else {
		functions_exit(f);
	}
	free(on_way);
	free(row_of);
	return err;
}

/* Give each frame that @is_row accepts a row of its own; NULL if memory is short */
static uint32_t *rows_of_frames(const struct tree *t, bool (*is_row)(const struct frame *f))
{
	uint32_t *row_of = malloc(t->nr_frames * sizeof(*row_of));

	if (!row_of)
		return NULL;
	for (uint32_t i = 0; i < t->nr_frames; i++)
		row_of[i] = i && is_row(&t->frames[i]) ? i : TREE_NONE;
	return row_of;
}

static bool is_function(const struct frame *f)
{
	return f->kind != FRAME_COMM && f->kind != FRAME_ROOT;
}

int functions_collect(struct functions *f, const struct tree *t, enum tree_unit unit,
		      enum functions_sort sort)
{
	*f = (struct functions){ 0 };
	return collect(f, t, (struct order){ unit, sort }, rows_of_frames(t, is_function));
}

static bool is_comm(const struct frame *f)
{
	return f->kind == FRAME_COMM || frame_is_note(f, "[gap]");
}

int functions_comms(struct functions *f, const struct tree *t, enum tree_unit unit)
{
	*f = (struct functions){ 0 };
	return collect(f, t, (struct order){ unit, SORT_TOTAL }, rows_of_frames(t, is_comm));
}

/* Return: the frame that represents the file of @f */
static struct frame file_of(const struct frame *f)
{
	bool kernel = f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
	const char *none = kernel ? "[kernel]" : "[no file]";

	return (struct frame){
		.name = f->file ? f->file : none,
		.kind = kernel ? FRAME_KERNEL : f->file ? FRAME_USER : FRAME_NOTE,
	};
}

static int by_file(const void *a, const void *b, void *files)
{
	const struct frame *x = (struct frame *)files + *(const uint32_t *)a;
	const struct frame *y = (struct frame *)files + *(const uint32_t *)b;
	int d = strcmp(x->name, y->name);

	return d ? d : (int)x->kind - (int)y->kind;
}

/* Put all frames of one file into the row of the first one; NULL if memory is short */
static uint32_t *rows_of_files(const struct tree *t, struct frame *files)
{
	uint32_t *row_of = malloc(t->nr_frames * sizeof(*row_of));
	uint32_t *sorted = malloc(t->nr_frames * sizeof(*sorted));

	if (!row_of || !sorted) {
		free(row_of);
		free(sorted);
		return NULL;
	}
	for (uint32_t i = 0; i < t->nr_frames; i++)
		sorted[i] = i;
	qsort_r(sorted, t->nr_frames, sizeof(*sorted), by_file, files);
	for (uint32_t i = 0; i < t->nr_frames; i++) {
		bool same = i && !by_file(&sorted[i - 1], &sorted[i], files);

		row_of[sorted[i]] = same ? row_of[sorted[i - 1]] : sorted[i];
	}
	for (uint32_t i = 0; i < t->nr_frames; i++)
		if (!is_function(&t->frames[i]))
			row_of[i] = TREE_NONE;
	free(sorted);
	return row_of;
}

int functions_files(struct functions *f, const struct tree *t, enum tree_unit unit,
		    enum functions_sort sort)
{
	*f = (struct functions){ .made = calloc(t->nr_frames, sizeof(*f->made)) };
	if (!f->made)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr_frames; i++)
		f->made[i] = file_of(&t->frames[i]);
	return collect(f, t, (struct order){ unit, sort }, rows_of_files(t, f->made));
}

/* Keep the heaviest name below a process; among equal names the first one */
static void take_name(struct function *f, struct weight *most, const struct tree *t,
		      const struct tree_node *n)
{
	const struct frame *frame = &t->frames[n->frame];

	if (n->depth != 2 || frame->kind != FRAME_COMM)
		return;
	f->self.samples += n->self.samples;
	f->self.ns += n->self.ns;
	if (f->mostly && (n->total.samples < most->samples ||
			  (n->total.samples == most->samples && n->total.ns <= most->ns)))
		return;
	f->mostly = frame;
	*most = n->total;
}

int functions_threads(struct functions *f, const struct tree *t, enum tree_unit unit)
{
	struct order o = { unit, SORT_TOTAL };
	struct weight most = { 0 };
	size_t nr = 0, at = 0;

	for (uint32_t i = 1; i < t->nr_nodes; i++)
		nr += t->nodes[i].depth == 1;
	*f = (struct functions){ 0 };
	f->rows = calloc(nr ? nr : 1, sizeof(*f->rows));
	if (!f->rows)
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->depth == 1)
			f->rows[at++] = (struct function){
				.frame = &t->frames[n->frame], .self = n->self, .total = n->total,
			};
		else
			take_name(&f->rows[at - 1], &most, t, n);
	}
	keep_and_sort(f, nr, &o);
	return 0;
}

void functions_exit(struct functions *f)
{
	free(f->rows);
	free(f->made);
	*f = (struct functions){ 0 };
}
