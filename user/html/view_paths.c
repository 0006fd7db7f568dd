// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_paths.c - the functions, paths, facts and contexts of a document, as columns
 */
#include <errno.h>
#include <stdlib.h>

#include "html/page_parts.h"

static void put_text(struct blob *b, const char *s)
{
	blob_text(b, s);
	blob_bytes(b, "", 1);
}

static void put_frames(struct blob *b, const struct view_data *d)
{
	uint32_t *at = malloc(d->frames.nr * sizeof(*at)), file;
	struct blob names = { 0 }, files = { 0 }, of = { 0 }, kinds = { 0 };
	struct frame_set set = { 0 };

	if (!at) {
		b->err = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < d->frames.nr; i++)
		at[d->frame_order[i]] = i;
	for (uint32_t i = 0; i < d->frames.nr; i++) {
		const struct frame *f = &d->frames.all[at[i]];
		const uint8_t kind = (uint8_t)f->kind;

		put_text(&names, f->name);
		blob_bytes(&kinds, &kind, 1);
		if (!f->file) {
			blob_number(&of, 0);
			continue;
		}
		if (frame_set_number(&set, &(struct frame){ .name = f->file }, &file))
			b->err = -ENOMEM;
		else
			blob_number(&of, file + 1ull);
	}
	for (uint32_t i = 0; i < set.nr; i++)
		put_text(&files, set.all[i].name);
	blob_column(b, &names);
	blob_column(b, &files);
	blob_column(b, &of);
	blob_column(b, &kinds);
	frame_set_exit(&set);
	free(at);
}

/* The callees of each function, in the order in which they come, wherever it is called */
struct callees {
	struct idmap ranks;	/* of a caller and a callee */
	uint32_t *nr;		/* callees of each function so far */
	struct blob known;	/* 0, or the rank of the callee plus 1 */
	struct blob added;	/* the callee, where that is 0 */
};

/*
 * A function calls few others. So a callee is written as its rank among the callees of its caller's function, which
 * compresses to half the size of the callee's number.
 */
static int put_callee(struct callees *c, uint32_t caller, uint32_t callee)
{
	const uint64_t key = (uint64_t)caller << 32 | callee;
	const uint32_t rank = idmap_find(&c->ranks, key);

	if (rank != INDEX_NONE) {
		blob_number(&c->known, rank + 1ull);
		return 0;
	}
	blob_number(&c->known, 0);
	blob_number(&c->added, callee);
	return idmap_set(&c->ranks, key, c->nr[caller]++);
}

static void put_paths(struct blob *b, const struct view_data *d)
{
	uint32_t *at = malloc(d->nr_paths * sizeof(*at)), depth = 0;
	struct callees c = { .nr = calloc(d->frames.nr, sizeof(*c.nr)) };
	struct blob depths = { 0 };
	int err = at && c.nr ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->nr_paths && !err; i++)
		at[d->paths[i].order] = (uint32_t)i;
	for (size_t i = 1; i < d->nr_paths && !err; i++) {
		const struct view_path *p = &d->paths[at[i]];

		/* A callee is one deeper than its caller: 0, for the next path is most often that. */
		blob_number(&depths, depth + 1 - p->depth);
		depth = p->depth;
		err = put_callee(&c, d->frame_order[d->paths[p->parent].frame], d->frame_order[p->frame]);
	}
	blob_number(b, d->nr_paths);
	blob_column(b, &depths);
	blob_column(b, &c.known);
	blob_column(b, &c.added);
	if (err)
		b->err = err;
	idmap_exit(&c.ranks);
	free(c.nr);
	free(at);
}

uint64_t page_period(const struct view_page *page)
{
	const uint64_t samples = page->d->sum_samples ? page->d->sum_samples : 1;

	/* Half of it, because a difference is written with its sign */
	return page->period_ns < VIEW_EXACT / 2 / samples ? page->period_ns : 0;
}

static void put_facts(struct blob *b, const struct view_page *page)
{
	struct blob paths = { 0 }, contexts = { 0 }, samples = { 0 }, weights = { 0 };
	const uint64_t period = page_period(page);
	const struct view_data *d = page->d;
	uint32_t last = 0;

	for (size_t i = 0; i < d->nr_facts; i++) {
		const struct view_fact *f = &d->facts[i];
		uint32_t order = d->paths[f->path].order;

		blob_number(&paths, order - last);
		last = order;
		blob_number(&contexts, f->context);
		blob_number(&samples, f->samples);
		blob_signed(&weights, (int64_t)(f->weight - f->samples * period));
	}
	blob_number(b, d->nr_facts);
	blob_column(b, &paths);
	blob_column(b, &contexts);
	blob_column(b, &samples);
	blob_column(b, &weights);
}

static void put_contexts(struct blob *b, const struct view_page *page)
{
	const struct view_data *d = page->d;
	struct blob spots = { 0 };

	blob_number(b, d->nr_contexts);
	for (int dim = 0; dim < VIEW_DIMS; dim++) {
		struct blob column = { 0 };

		if (!d->values[dim].nr)
			continue;
		for (size_t i = 0; i < d->nr_contexts; i++)
			blob_number(&column, d->contexts[i].value[dim] + 1u);
		blob_column(b, &column);
	}
	if (!page->source)
		return;
	for (size_t i = 0; i < d->nr_contexts; i++)
		blob_number(&spots, d->contexts[i].spot + 1u);
	blob_column(b, &spots);
}

void page_paths(struct blob *b, const struct view_page *page)
{
	put_frames(b, page->d);
	put_paths(b, page->d);
	put_facts(b, page);
	put_contexts(b, page);
}
