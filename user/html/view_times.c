// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_times.c - the samples of a document in order of time, in chunks
 *
 * A sample of the timer comes exactly when the time of the previous one on its CPU ends, unless the CPU was away.
 * So a time is written as its distance to that.
 */
#include <errno.h>
#include <stdlib.h>

#include "html/page_parts.h"

#define CHUNK	(1u << 18)	/* samples */

uint32_t page_each_n(const struct view_page *page)
{
	return page->timed ? (uint32_t)((page->timed->nr_timeline + VIEW_MAX_TIMES - 1) / VIEW_MAX_TIMES) : 1;
}

static size_t nr_kept(const struct view_page *page)
{
	const uint32_t each = page_each_n(page);

	return page->timed && each ? (page->timed->nr_timeline + each - 1) / each : 0;
}

size_t page_nr_chunks(const struct view_page *page)
{
	return (nr_kept(page) + CHUNK - 1) / CHUNK;
}

/*
 * Choose one of @each samples, by chance.  CPUs take turns in the order of time, so a fixed choice would leave whole
 * CPUs out.  Return: its index; @i: how many samples were chosen before
 */
static size_t kept(const struct view_page *page, size_t i, uint32_t each)
{
	const size_t nr = page->timed->nr_timeline, first = i * each;
	const size_t last = nr - first < each ? nr - first : each;

	return first + hash_u64(0, i) % last;
}

/* When the next sample of each CPU is expected: of the timer, and of all other events */
struct expected {
	uint64_t *at;
	size_t nr;
};

static uint64_t *expected_of(const struct expected *e, const struct view_data *d, const struct view_fact *f)
{
	const struct view_context *c = &d->contexts[f->context];
	uint32_t cpu = c->value[VIEW_CPU] == VIEW_NONE ? 0 : c->value[VIEW_CPU] + 1;
	bool is_timer = d->events[c->value[VIEW_EVENT]].is_timer;

	return &e->at[2 * (size_t)cpu + is_timer];
}

struct columns {
	struct blob times, facts, weights;
};

static void put(struct columns *to, const struct view_page *page, const struct expected *e, uint32_t fact,
		uint64_t at, uint64_t length, uint64_t weight)
{
	const struct view_data *d = page->d;
	const uint32_t order = d->fact_order[fact];
	const struct view_fact *f = &d->facts[order];
	uint64_t *expected = expected_of(e, d, f);
	bool is_timer = d->events[d->contexts[f->context].value[VIEW_EVENT]].is_timer;

	blob_signed(&to->times, (int64_t)(at - *expected));
	blob_number(&to->facts, order);
	blob_signed(&to->weights, (int64_t)(weight - (f->samples && is_timer ? page_period(page) : 0)));
	*expected = at + (is_timer ? length : 0);
}

void page_chunk(struct blob *b, const struct view_page *page, size_t chunk)
{
	const struct profile *p = page->timed;
	const uint32_t each = page_each_n(page);
	struct expected e = { .nr = 2 * ((size_t)page->d->values[VIEW_CPU].nr + 1) };
	size_t end = (chunk + 1) * CHUNK < nr_kept(page) ? (chunk + 1) * CHUNK : nr_kept(page), nr = 0;
	struct columns to = { 0 };

	e.at = calloc(e.nr, sizeof(*e.at));
	if (!e.at) {
		b->err = -ENOMEM;
		return;
	}
	for (size_t i = chunk * CHUNK; i < end; i++) {
		const struct profile_sample *s = &p->timeline[kept(page, i, each)];
		const uint32_t *fact = &page->counts->fact[2 * (size_t)s->count];
		uint64_t at = s->time_ns - p->span.start_ns, late = fact[1] == VIEW_NONE ? 0 : s->late_ns;

		/* Late time first, and without a length: the time of the sample ends what is expected. */
		if (late) {
			put(&to, page, &e, fact[1], at, 0, late);
			nr++;
		}
		put(&to, page, &e, fact[0], at, s->weight_ns, s->weight_ns - late);
		nr++;
	}
	free(e.at);
	blob_number(b, nr);
	blob_column(b, &to.times);
	blob_column(b, &to.facts);
	blob_column(b, &to.weights);
}
