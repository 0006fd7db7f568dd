// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heavy_paths.c - finds the paths of a call tree that have most of the weight
 *
 * A threshold decides: a path ends at a node that has at least that weight, while none of its callees has.  A node with
 * a heavy callee is a path of its own if its self has that weight.  The lower the threshold, the more paths there are.
 * So a search finds the lowest one that gives as many as are wanted.  Paths are then as specific as their number allows.
 *
 * If many paths weigh about the same, the next lower threshold gives too many.  Then the heaviest of these fill up the
 * list.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/heavy_paths.h"
#include "uapi/kflame.h"
#include "views/path_id.h"

#define LEAST_SHARE	200u	/* 1/200 of the whole */
#define FINE		4096u	/* the threshold is exact to 1/4096 of the whole */
#define TWO_SIDES	1.96	/* of a normal distribution: 95 % are within so many standard deviations */

/* @has_heavy: by node: it has a callee with at least the threshold */
static void mark_callers(const struct heavy_paths *h, uint64_t threshold, bool *has_heavy)
{
	const struct tree *t = h->t;

	memset(has_heavy, 0, t->nr_nodes * sizeof(*has_heavy));
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		if (tree_weight(&t->nodes[i].total, h->unit) >= threshold)
			has_heavy[t->nodes[i].parent] = true;
}

/* Does a path end at node @i? */
static bool is_end(const struct heavy_paths *h, uint64_t threshold, const bool *has_heavy, uint32_t i)
{
	const struct tree_node *n = &h->t->nodes[i];

	return tree_weight(has_heavy[i] ? &n->self : &n->total, h->unit) >= threshold;
}

/* Return: how many paths there are with that threshold; more than @most: too many */
static size_t count_paths(const struct heavy_paths *h, uint64_t threshold, bool *has_heavy, size_t most)
{
	size_t nr = 0;

	mark_callers(h, threshold, has_heavy);
	for (uint32_t i = 1; i < h->t->nr_nodes && nr <= most; i++)
		nr += is_end(h, threshold, has_heavy, i);
	return nr;
}

static struct heavy_path path_at_end(const struct heavy_paths *h, const bool *has_heavy, uint32_t i)
{
	const struct tree_node *n = &h->t->nodes[i];

	return (struct heavy_path){ .node = i, .itself = has_heavy[i], .weight = has_heavy[i] ? n->self : n->total };
}

static void take_paths(struct heavy_paths *h, uint64_t threshold, bool *has_heavy)
{
	mark_callers(h, threshold, has_heavy);
	for (uint32_t i = 1; i < h->t->nr_nodes; i++)
		if (is_end(h, threshold, has_heavy, i))
			h->all[h->nr++] = path_at_end(h, has_heavy, i);
}

static bool is_taken(const struct heavy_paths *h, size_t nr, uint32_t node)
{
	for (size_t i = 0; i < nr; i++)
		if (h->all[i].node == node)
			return true;
	return false;
}

/* Keeps the heaviest paths from place @first on */
static void keep_heavier(struct heavy_paths *h, size_t first, size_t most, const struct heavy_path *path)
{
	size_t least = first;

	if (h->nr < most) {
		h->all[h->nr++] = *path;
		return;
	}
	for (size_t i = first; i < h->nr; i++)
		if (tree_weight(&h->all[i].weight, h->unit) < tree_weight(&h->all[least].weight, h->unit))
			least = i;
	if (tree_weight(&path->weight, h->unit) > tree_weight(&h->all[least].weight, h->unit))
		h->all[least] = *path;
}

/* Adds the heaviest paths of a lower threshold that are not below the paths that were found */
static void fill_up(struct heavy_paths *h, uint64_t threshold, bool *has_heavy, bool *is_below, size_t most)
{
	const size_t found = h->nr;

	for (size_t i = 0; i < found; i++)
		is_below[h->all[i].node] = !h->all[i].itself;
	mark_callers(h, threshold, has_heavy);
	for (uint32_t i = 1; i < h->t->nr_nodes; i++) {
		const struct heavy_path path = path_at_end(h, has_heavy, i);

		is_below[i] |= is_below[h->t->nodes[i].parent];
		if (is_end(h, threshold, has_heavy, i) && !is_below[i] && !is_taken(h, found, i))
			keep_heavier(h, found, most, &path);
	}
}

static int by_weight(const void *a, const void *b, void *unit)
{
	const struct heavy_path *x = a, *y = b;
	const uint64_t v = tree_weight(&x->weight, *(enum tree_unit *)unit);
	const uint64_t w = tree_weight(&y->weight, *(enum tree_unit *)unit);

	if (v != w)
		return v > w ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* @flags: two for each node */
static void search(struct heavy_paths *h, bool *flags, size_t most)
{
	bool *has_heavy = flags, *is_below = flags + h->t->nr_nodes;
	const uint64_t whole = heavy_paths_whole(h), step = whole / FINE ? whole / FINE : 1;
	uint64_t low = whole / LEAST_SHARE ? whole / LEAST_SHARE : 1, high = whole + 1;

	if (!whole || whole == UINT64_MAX)
		return;
	if (count_paths(h, low, has_heavy, most) <= most)
		high = low;
	/* With @low there are too many paths; with @high there are not */
	while (high > low && high - low > step) {
		const uint64_t middle = low + (high - low) / 2;

		if (count_paths(h, middle, has_heavy, most) <= most)
			high = middle;
		else
			low = middle;
	}
	take_paths(h, high, has_heavy);
	if (h->nr < most && low < high)
		fill_up(h, low, has_heavy, is_below, most);
	qsort_r(h->all, h->nr, sizeof(h->all[0]), by_weight, &h->unit);
}

static int add_hashes(struct heavy_paths *h)
{
	uint64_t *hashes = path_hashes(h->t);

	if (!hashes)
		return -ENOMEM;
	for (size_t i = 0; i < h->nr; i++)
		h->all[i].hash = hashes[h->all[i].node];
	free(hashes);
	return 0;
}

int heavy_paths_find(struct heavy_paths *h, const struct tree *t, enum tree_unit unit, uint32_t event, size_t most)
{
	bool *flags = calloc(t->nr_nodes, 2 * sizeof(*flags));
	int err = -ENOMEM;

	*h = (struct heavy_paths){ .t = t, .unit = unit, .event = event };
	if (flags) {
		search(h, flags, most < HEAVY_PATHS ? most : HEAVY_PATHS);
		err = add_hashes(h);
	}
	free(flags);
	return err;
}

uint64_t heavy_paths_whole(const struct heavy_paths *h)
{
	return tree_weight(&h->t->nodes[TREE_ROOT].total, h->unit);
}

uint64_t heavy_path_error(const struct heavy_paths *h, const struct heavy_path *path)
{
	const double n = (double)h->t->nodes[TREE_ROOT].total.samples;
	double share, z = TWO_SIDES, half;

	if ((h->event != KFLAME_EVENT_TIMER && h->event != KFLAME_EVENT_SLEEPERS) || n < 1)
		return 0;
	share = (double)path->weight.samples / n;
	/* Wilson's interval: it is not 0 if all samples, or none, are of the path */
	half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	return (uint64_t)(half * 1e6 + 0.5);
}
