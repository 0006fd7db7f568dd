// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_rank.c - which functions have the most self time
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "views/annotate_rank.h"

#define PARTS	1000000000u	/* shares of events are in 1/PARTS */
#define WHOLE	UINT32_MAX	/* in place of a function: all functions of an event */

bool is_function(const struct frame *f)
{
	return f->kind != FRAME_COMM && f->kind != FRAME_ROOT && f->kind != FRAME_NOTE;
}

struct ends ends_of(const struct sample *s)
{
	struct ends e = { .from = s->nr - 1 };

	/* A tree cuts deeper stacks, so their end is a note */
	if (s->nr > TREE_MAX_DEPTH || !is_function(&s->frames[e.from]))
		return e;
	for (e.nr = 1; e.from && s->places[e.from].inlined && !s->places[e.from - 1].caller &&
	     s->places[e.from - 1].address == s->places[e.from].address; e.nr++)
		e.from--;
	return e;
}

int function_number(struct frame_set *functions, const struct frame *f, uint32_t *number)
{
	return frame_set_number(functions, &(struct frame){ .name = f->name, .file = f->file, .kind = FRAME_USER }, number);
}

struct ranking {
	struct frame_set *functions;
	struct idmap ids;	/* of an event and a function: index in .sums */
	struct weight *sums;
	size_t nr, cap;
};

static uint64_t key_of(const struct sample *s, uint32_t function)
{
	return (uint64_t)(s->event ? s->event->id : 0) << 32 | function;
}

static int add_sum(struct ranking *r, uint64_t key, const struct weight *w)
{
	uint32_t i = idmap_item(&r->ids, key, &r->sums, &r->nr, &r->cap, sizeof(*r->sums));

	if (i == INDEX_NONE)
		return -ENOMEM;
	weight_add(&r->sums[i], w);
	return 0;
}

/* A sample_fn */
static int rank_sample(void *ctx, const struct sample *s)
{
	const struct weight w = { s->samples, s->ns };
	const bool is_idle = stack_is_idle(s->frames, s->nr);
	const struct ends e = ends_of(s);
	struct ranking *r = ctx;
	uint32_t function;
	int err;

	err = is_idle ? 0 : add_sum(r, key_of(s, WHOLE), &w);
	for (size_t i = 0; !err && i < e.nr; i++) {
		err = function_number(r->functions, &s->frames[e.from + i], &function);
		if (!err && !is_idle)
			err = add_sum(r, key_of(s, function), &w);
	}
	return err;
}

static int by_share(const void *a, const void *b, void *ctx)
{
	const struct ranked *x = a, *y = b;
	const struct frame *all = ctx;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return frame_compare(&all[x->function], &all[y->function]);
}

/* Return: the shares of all functions, the largest first, to be freed; NULL if memory is short */
static struct ranked *add_shares(const struct ranking *r)
{
	struct ranked *all = calloc(r->functions->nr + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < r->functions->nr; i++)
		all[i].function = i;
	for (uint32_t i = 0; all && i < r->ids.nr; i++) {
		const uint64_t key = r->ids.all[i].id;
		const struct weight *w = &r->sums[r->ids.all[i].value];
		const struct weight *whole = &r->sums[idmap_find(&r->ids, key | WHOLE)];

		if ((uint32_t)key != WHOLE)
			all[(uint32_t)key].share += whole->ns ? scale(w->ns, PARTS, whole->ns) :
				scale(w->samples, PARTS, whole->samples);
	}
	if (all)
		qsort_r(all, r->functions->nr, sizeof(*all), by_share, r->functions->all);
	return all;
}

int rank_functions(struct frame_set *functions, const struct profile *p, struct ranked **all)
{
	struct ranking r = { .functions = functions };
	int err = profile_each_sample(p, rank_sample, &r);

	*all = err ? NULL : add_shares(&r);
	free(r.sums);
	idmap_exit(&r.ids);
	return err ? err : *all ? 0 : -ENOMEM;
}
