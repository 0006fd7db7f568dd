// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ranges.c - find the innermost address range around an address
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/ranges.h"

int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint32_t of)
{
	int err;

	if (start >= end)
		return 0;
	err = grow(&r->all, r->nr, &r->cap, sizeof(*r->all));
	if (!err)
		r->all[r->nr++] = (struct range){ start, end, of };
	return err;
}

/* Sort outer ranges before the ranges inside them */
static int outer_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->of < y->of ? -1 : x->of > y->of;
}

/* A sweep over the addresses: the open ranges, and the address up to which all ranges are cut */
struct sweep {
	const struct range **open;
	size_t nr_open;
	uint64_t at;
	struct ranges cut;
	int err;
};

/* Give the addresses up to @to to the innermost open range */
static void cut(struct sweep *s, uint64_t to)
{
	if (!s->err && s->at < to)
		s->err = ranges_add(&s->cut, s->at, to, s->open[s->nr_open - 1]->of);
	if (s->at < to)
		s->at = to;
}

static void sweep_to(struct sweep *s, uint64_t to)
{
	while (s->nr_open && s->open[s->nr_open - 1]->end <= to) {
		cut(s, s->open[s->nr_open - 1]->end);
		s->nr_open--;
	}
	if (s->nr_open)
		cut(s, to);
	s->at = to;
}

int ranges_settle(struct ranges *r)
{
	struct sweep s = { .open = malloc((r->nr + 1) * sizeof(*s.open)) };

	if (!s.open)
		return -ENOMEM;
	if (r->nr)
		qsort(r->all, r->nr, sizeof(*r->all), outer_first);
	for (size_t i = 0; i < r->nr; i++) {
		sweep_to(&s, r->all[i].start);
		s.open[s.nr_open++] = &r->all[i];
	}
	sweep_to(&s, UINT64_MAX);
	free(s.open);
	if (s.err) {
		ranges_exit(&s.cut);
		return s.err;
	}
	ranges_exit(r);
	*r = s.cut;
	return 0;
}

const struct range *ranges_find(const struct ranges *r, uint64_t at)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->all[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low && at < r->all[low - 1].end ? &r->all[low - 1] : NULL;
}

void ranges_exit(struct ranges *r)
{
	free(r->all);
	memset(r, 0, sizeof(*r));
}
