// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_order.c - numbers frames, paths and facts as they are in the file
 *
 * Frames are in the order of their names. A path is followed by all paths below it, and siblings are in the order
 * of their frames. Facts are in the order of their paths. All this compresses well, and a browser finds paths in
 * the order in which it draws them.
 */
#include <errno.h>
#include <stdlib.h>

#include "html/view_data.h"

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct frame *all = ctx;

	return frame_compare(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

static int number_frames(struct view_data *d)
{
	uint32_t nr = d->frames.nr, *sorted = malloc(nr * sizeof(*sorted));

	d->frame_order = malloc(nr * sizeof(*d->frame_order));
	if (!sorted || !d->frame_order) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = i;
	/* The root's frame stays the first one. */
	qsort_r(sorted + 1, nr - 1, sizeof(*sorted), by_name, d->frames.all);
	for (uint32_t i = 0; i < nr; i++)
		d->frame_order[sorted[i]] = i;
	free(sorted);
	return 0;
}

/* Return: all paths in the falling order of their frames, to be freed; NULL without memory */
static uint32_t *by_frame(const struct view_data *d)
{
	uint32_t *paths = malloc(d->nr_paths * sizeof(*paths));
	uint32_t *end = calloc(d->frames.nr + 1, sizeof(*end)), sum = 0;

	if (!paths || !end) {
		free(paths);
		free(end);
		return NULL;
	}
	for (size_t i = 0; i < d->nr_paths; i++)
		end[d->frame_order[d->paths[i].frame]]++;
	for (uint32_t i = d->frames.nr; i-- > 0;) {
		sum += end[i];
		end[i] = sum - end[i];
	}
	for (size_t i = 0; i < d->nr_paths; i++)
		paths[end[d->frame_order[d->paths[i].frame]]++] = (uint32_t)i;
	free(end);
	return paths;
}

/* Number the paths: @first and @next are lists of callees, each in the order of their frames */
static void walk(struct view_data *d, const uint32_t *first, const uint32_t *next)
{
	uint32_t path = VIEW_ROOT, order = 0;

	for (;;) {
		d->paths[path].order = order++;
		if (first[path] != VIEW_NONE) {
			path = first[path];
			continue;
		}
		while (path != VIEW_ROOT && next[path] == VIEW_NONE)
			path = d->paths[path].parent;
		if (path == VIEW_ROOT)
			return;
		path = next[path];
	}
}

static int number_paths(struct view_data *d)
{
	uint32_t *sorted = by_frame(d);
	uint32_t *first = malloc(d->nr_paths * sizeof(*first));
	uint32_t *next = malloc(d->nr_paths * sizeof(*next));
	int err = sorted && first && next ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->nr_paths && !err; i++)
		first[i] = next[i] = VIEW_NONE;
	for (size_t i = 0; i < d->nr_paths && !err; i++) {
		uint32_t path = sorted[i], parent = d->paths[path].parent;

		if (path == VIEW_ROOT)
			continue;
		next[path] = first[parent];
		first[parent] = path;
	}
	if (!err)
		walk(d, first, next);
	free(sorted);
	free(first);
	free(next);
	return err;
}

static int by_path(const void *a, const void *b, void *ctx)
{
	const struct view_data *d = ctx;
	const struct view_fact *x = &d->facts[*(const uint32_t *)a], *y = &d->facts[*(const uint32_t *)b];
	uint32_t m = d->paths[x->path].order, n = d->paths[y->path].order;

	if (m != n)
		return m < n ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

/* Sorts the facts; fact_order has the new index of each old one */
static int sort_facts(struct view_data *d)
{
	size_t nr = d->nr_facts;
	uint32_t *sorted = malloc((nr + 1) * sizeof(*sorted));
	struct view_fact *facts = malloc((nr + 1) * sizeof(*facts));

	d->fact_order = malloc((nr + 1) * sizeof(*d->fact_order));
	if (!sorted || !facts || !d->fact_order) {
		free(sorted);
		free(facts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, nr, sizeof(*sorted), by_path, d);
	for (size_t i = 0; i < nr; i++) {
		facts[i] = d->facts[sorted[i]];
		d->fact_order[sorted[i]] = (uint32_t)i;
	}
	free(sorted);
	free(d->facts);
	d->facts = facts;
	d->cap_facts = nr + 1;
	return 0;
}

int view_data_sort(struct view_data *d)
{
	int err = number_frames(d);

	if (!err)
		err = number_paths(d);
	return err ? err : sort_facts(d);
}
