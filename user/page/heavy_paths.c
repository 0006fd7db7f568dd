// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heavy_paths.c - finds the paths of a call tree that have most of the weight
 *
 * The search begins at the root, and goes on to the heaviest callee while that has more than half of what is left of
 * its caller.  What was found is taken away from all callers, and the search begins again.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "page/heavy_paths.h"
#include "uapi/kflame.h"
#include "views/path_id.h"

#define LEAST_SHARE	200u	/* 1/200 of the whole */
#define MOST_SEARCHES	50	/* a malformed profile could need one for each node */
#define TWO_SIDES	1.96	/* of a normal distribution: 95 % are within so many standard deviations */

/* The search; arrays by node */
struct search {
	struct heavy_paths *h;
	uint64_t *left;		/* of its total */
	uint64_t *self;		/* left of its self */
	uint32_t *best;		/* callee with most left; 0 for none. Of one call of find_best() */
	bool *is_caller;	/* of a path that was found */
};

static void find_best(struct search *s)
{
	const struct tree *t = s->h->t;

	for (uint32_t i = 0; i < t->nr_nodes; i++)
		s->best[i] = 0;
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		uint32_t *best = &s->best[t->nodes[i].parent];

		if (s->left[i] && (!*best || s->left[i] > s->left[*best]))
			*best = i;
	}
}

static void take(struct search *s, uint32_t node, bool itself)
{
	const struct tree *t = s->h->t;
	struct heavy_path *path = &s->h->all[s->h->nr++];
	const uint64_t w = itself ? s->self[node] : s->left[node];

	path->node = node;
	path->itself = itself;
	path->weight = itself ? t->nodes[node].self : t->nodes[node].total;
	if (itself)
		s->self[node] = 0;
	for (uint32_t i = node; i != TREE_NONE; i = t->nodes[i].parent) {
		s->left[i] -= w;
		s->is_caller[i] = true;
	}
}

/* What is left of a caller is in many small callees: it is no path */
static void leave_out(struct search *s, uint32_t node)
{
	const uint64_t w = s->left[node];

	for (uint32_t i = node; i != TREE_NONE; i = s->h->t->nodes[i].parent)
		s->left[i] -= w;
}

/* Return: whether to search again */
static bool find_next(struct search *s, uint64_t least)
{
	uint32_t at = TREE_ROOT;

	find_best(s);
	for (;;) {
		const uint32_t best = s->best[at];
		const uint64_t of_best = best ? s->left[best] : 0;
		const bool is_thread = s->h->t->nodes[at].depth <= 1;

		if (s->is_caller[at] && s->self[at] >= least && s->self[at] > of_best) {
			take(s, at, true);
			return true;
		}
		if (s->is_caller[at] && of_best < least) {
			leave_out(s, at);
			return at != TREE_ROOT;
		}
		/* A path has a function, not a thread alone, unless there is no heavy function */
		if (!s->is_caller[at] && (of_best < least || (!is_thread && of_best <= s->left[at] / 2))) {
			take(s, at, false);
			return true;
		}
		at = best;
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

static void search(struct search *s, size_t most)
{
	struct heavy_paths *h = s->h;
	const uint64_t whole = heavy_paths_whole(h), least = whole / LEAST_SHARE ? whole / LEAST_SHARE : 1;

	for (uint32_t i = 0; i < h->t->nr_nodes; i++) {
		s->left[i] = tree_weight(&h->t->nodes[i].total, h->unit);
		s->self[i] = tree_weight(&h->t->nodes[i].self, h->unit);
	}
	s->is_caller[TREE_ROOT] = true;
	s->self[TREE_ROOT] = 0;
	for (int i = 0; i < MOST_SEARCHES && h->nr < most && h->nr < HEAVY_PATHS; i++)
		if (!find_next(s, least))
			break;
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
	struct search s = { .h = h };
	int err = -ENOMEM;

	*h = (struct heavy_paths){ .t = t, .unit = unit, .event = event };
	s.left = calloc(t->nr_nodes, sizeof(*s.left));
	s.self = calloc(t->nr_nodes, sizeof(*s.self));
	s.best = calloc(t->nr_nodes, sizeof(*s.best));
	s.is_caller = calloc(t->nr_nodes, sizeof(*s.is_caller));
	if (s.left && s.self && s.best && s.is_caller) {
		search(&s, most);
		err = add_hashes(h);
	}
	free(s.left);
	free(s.self);
	free(s.best);
	free(s.is_caller);
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
