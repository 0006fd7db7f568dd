// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency.c - weighs samples by how many threads ran at once
 *
 * The samples' begins and ends are visited in order of time.  A clock runs meanwhile, at 1/n of the speed of time while n
 * threads run.  The weight of a sample is the difference of that clock from its begin to its end.  So the work
 * depends on the number of samples only, however many of them overlap in a malformed profile.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "profile/latency.h"
#include "profile/private.h"

#define SHIFT	24	/* the clock counts ns / 2^SHIFT */

/* Begin or end of a sample */
struct point {
	uint64_t at;
	size_t sample;
	bool is_end;
};

static int by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

static bool has_run(const struct profile *p, const struct profile_sample *s, const bool *is_shown)
{
	const struct profile_count *c = &p->counts[s->count];

	return is_shown[s->count] && !c->event && c->context != KFLAME_CTX_IDLE && c->context != KFLAME_CTX_GAP;
}

static size_t find_points(const struct profile *p, const bool *is_shown, struct point *points)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_timeline; i++) {
		const struct profile_sample *s = &p->timeline[i];
		uint64_t from, to;

		if (!has_run(p, s, is_shown))
			continue;
		profile_sample_span(p, s, &from, &to);
		points[nr++] = (struct point){ .at = from, .sample = i };
		points[nr++] = (struct point){ .at = to, .sample = i, .is_end = true };
	}
	qsort(points, nr, sizeof(*points), by_time);
	return nr;
}

static void clear_sums(struct profile *p)
{
	for (size_t i = 0; i < p->nr_counts; i++)
		p->counts[i].samples = p->counts[i].weight_ns = p->counts[i].late_ns = 0;
	p->samples = p->weight_ns = p->late_ns = p->ran_ns = 0;
}

/* The weights add up to less than the time that passed. Only .ran_ns can overflow, in a malformed profile */
static void add_sample(struct profile *p, const struct profile_sample *s, uint64_t ns)
{
	struct profile_count *c = &p->counts[s->count];
	const uint64_t late = scale(ns, s->late_ns, s->weight_ns);

	c->samples++;
	c->weight_ns += ns;
	c->late_ns += late;
	p->samples++;
	p->weight_ns += ns;
	p->late_ns += late;
	if (__builtin_add_overflow(p->ran_ns, s->weight_ns, &p->ran_ns))
		p->ran_ns = UINT64_MAX;
}

int profile_use_latency(struct profile *p, const bool *is_shown)
{
	struct point *points = calloc(2 * p->nr_timeline + 1, sizeof(*points));
	uint64_t *begin = calloc(p->nr_timeline + 1, sizeof(*begin)), last = 0, running = 0;
	unsigned __int128 clock = 0;
	size_t nr = 0;

	if (points && begin) {
		nr = find_points(p, is_shown, points);
		clear_sums(p);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct point *x = &points[i];

		if (running)
			clock += ((unsigned __int128)(x->at - last) << SHIFT) / running;
		last = x->at;
		running += x->is_end ? -1ull : 1;
		/* In whole nanoseconds, so a weight is off by less than one */
		if (x->is_end)
			add_sample(p, &p->timeline[x->sample], (uint64_t)(clock >> SHIFT) - begin[x->sample]);
		else
			begin[x->sample] = (uint64_t)(clock >> SHIFT);
	}
	free(begin);
	free(points);
	return points && begin ? 0 : -ENOMEM;
}
