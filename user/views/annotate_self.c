// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_self.c - annotations of the functions with the most self time, as a viewer needs them
 *
 * annotate_rank.c finds the functions. A second walk adds their samples. Instructions follow from these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "stacks/stacks.h"
#include "views/annotate_rank.h"
#include "views/annotate_self.h"
#include "views/annotate_sums.h"

#define LINES_NS	(60 * NS_PER_S)

static int choose(struct self_annotations *s, const struct profile *p, const struct naming *naming, size_t most)
{
	struct ranked *ranked;
	int err = rank_functions(&s->functions, p, &ranked);

	if (!err) {
		s->all = calloc(most + 1, sizeof(*s->all));
		s->rank = malloc((s->functions.nr + 1) * sizeof(*s->rank));
		err = s->all && s->rank ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !err && i < s->functions.nr; i++) {
		const bool is_chosen = ranked[i].share && i < most;

		s->rank[ranked[i].function] = is_chosen ? i : SELF_NONE;
		s->nr_left_out += ranked[i].share && !is_chosen;
		if (is_chosen)
			s->all[s->nr++] = (struct annotation){
				.owner = p->owner, .symbols = naming->symbols,
				.function = s->functions.all[ranked[i].function],
			};
	}
	s->nr_ranks = s->functions.nr;
	free(ranked);
	return err;
}

/* --------------------------------------------------------------- the samples */

struct adding {
	struct self_annotations *s;
	const struct profile *p;
};

static bool same_spot(const void *ctx, uint32_t i, const void *key)
{
	const struct self_annotations *s = ctx;
	const struct self_spot *x = &s->spots[i], *y = key;

	return x->offset == y->offset && x->is_start == y->is_start && annotated_same_code(&x->code, &y->code);
}

static int find_spot(struct self_annotations *s, const struct self_spot *spot, uint32_t *number)
{
	const uint64_t hash = hash_u64(0, spot->offset);
	int err;

	*number = index_find(&s->spot_ids, hash, same_spot, s, spot);
	if (*number != INDEX_NONE)
		return 0;
	err = grow(&s->spots, s->nr_spots, &s->cap_spots, sizeof(*s->spots));
	if (err)
		return err;
	*number = (uint32_t)s->nr_spots;
	s->spots[s->nr_spots++] = *spot;
	return index_add(&s->spot_ids, hash, *number);
}

static int add_use(struct self_annotations *s, const struct sample *sample, size_t frame, uint32_t function,
		   uint32_t spot)
{
	const struct weight w = { sample->samples, sample->ns };
	const bool is_self = frame + 1 == sample->nr;
	const uint64_t key = (uint64_t)function << 33 | (uint64_t)spot << 1 | is_self;
	uint32_t i = idmap_item(&s->use_ids, key, &s->uses, &s->nr_uses, &s->cap_uses, sizeof(*s->uses));
	struct self_use *u;

	if (i == INDEX_NONE)
		return -ENOMEM;
	u = &s->uses[i];
	if (!u->frame.name)
		*u = (struct self_use){
			.function = function, .spot = spot, .is_self = is_self,
			.frame = sample->frames[frame], .place = sample->places[frame],
		};
	weight_add(&u->weight, &w);
	return 0;
}

static int spot_of_sample(struct adding *a, const struct sample *s, uint32_t *spot)
{
	const struct place *at = &s->places[s->nr - 1];
	struct self_spot one = { .is_start = !at->caller };
	int err;

	one.code = annotated_code_at(a->p, &s->frames[s->nr - 1], at, &one.offset);
	err = find_spot(a->s, &one, spot);
	a->s->spot_of[s->count] = *spot;
	return err;
}

/* Return: whether a function is called again by what it calls: only the innermost call counts */
static bool is_called_again(const struct sample *s, size_t frame)
{
	for (size_t i = frame + 1; i < s->nr; i++)
		if (!strcmp(s->frames[i].name, s->frames[frame].name))
			return true;
	return false;
}

static int add_sample(void *ctx, const struct sample *s)
{
	const struct ends e = ends_of(s);
	uint32_t spot = SELF_NONE, rank;
	struct adding *a = ctx;
	int err = 0;

	for (size_t i = e.from + e.nr; !err && i-- > e.from;) {
		rank = self_function_of(a->s, &s->frames[i]);
		if (rank == SELF_NONE || is_called_again(s, i))
			continue;
		if (spot == SELF_NONE)
			err = spot_of_sample(a, s, &spot);
		if (!err)
			err = add_use(a->s, s, i, rank, spot);
	}
	return err;
}

/* Add all samples of a function at a spot to its annotation */
static int annotate_use(struct annotation *to, const struct profile *p, const struct self_use *u)
{
	static const struct weight none;
	const struct annotated_at at = { .self = u->is_self ? u->weight : none,
					 .inlined = u->is_self ? none : u->weight, .total = u->weight };
	int err = annotation_add_at(to, p, &u->frame, &u->place, &at);

	weight_add(&to->total, &at.total);
	weight_add(&to->self, &at.self);
	return err ? err : annotation_add_line(to, p, &u->place, &at.self, &at.total);
}

static int add_samples(struct self_annotations *s, const struct profile *p)
{
	struct adding a = { .s = s, .p = p };
	int err;

	s->spot_of = malloc((p->nr_counts + 1) * sizeof(*s->spot_of));
	if (!s->spot_of)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_counts; i++)
		s->spot_of[i] = SELF_NONE;
	err = profile_each_sample(p, add_sample, &a);
	for (size_t i = 0; !err && i < s->nr_uses; i++)
		err = annotate_use(&s->all[s->uses[i].function], p, &s->uses[i]);
	return err;
}

static int by_function(const void *a, const void *b)
{
	const struct self_use *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->spot != y->spot)
		return x->spot < y->spot ? -1 : 1;
	return x->is_self - y->is_self;
}

int annotate_self(struct self_annotations *s, const struct profile *p, const struct naming *naming, size_t most)
{
	uint64_t time_ns = LINES_NS;
	struct vmlinux *v = NULL;
	int err;

	*s = (struct self_annotations){ 0 };
	err = choose(s, p, naming, most);
	if (!err)
		err = add_samples(s, p);
	for (size_t i = 0; !err && i < s->nr; i++) {
		annotation_sum(&s->all[i]);
		err = annotate_image(&s->all[i], p, naming, &v);
		if (!err)
			err = annotate_instructions(&s->all[i], p, naming, v);
	}
	if (!err && s->nr)
		err = annotate_lines(s->all, s->nr, naming, v, &time_ns);
	vmlinux_close(v);
	s->is_late = !time_ns;
	if (s->nr_uses)
		qsort(s->uses, s->nr_uses, sizeof(*s->uses), by_function);
	return err;
}

/* ------------------------------------------------------------------ the rows */

uint32_t self_function_of(struct self_annotations *s, const struct frame *f)
{
	uint32_t number;

	if (!is_function(f) || function_number(&s->functions, f, &number) || number >= s->nr_ranks)
		return SELF_NONE;
	return s->rank[number];
}

static bool same_source(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

const struct annotated_line *self_line_of(const struct self_annotations *s, const struct self_use *use)
{
	const struct annotation *a = &s->all[use->function];
	const bool is_known = use->place.source && use->place.line;

	for (size_t i = 0; i < a->nr_lines; i++)
		if (a->lines[i].line == (is_known ? use->place.line : 0) &&
		    same_source(a->lines[i].source, is_known ? use->place.source : NULL))
			return &a->lines[i];
	return NULL;
}

/* As annotate_code.c places samples: an address within an instruction has its own row, unless it is in a call */
static const struct annotated_at *row_in(const struct annotated_code *c, const struct self_spot *spot)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct annotated_at *at = &c->all[i];

		if (at->text && (spot->is_start ? at->offset == spot->offset : spot->offset - at->offset < at->bytes))
			return at;
		if (!at->text && at->offset == spot->offset && (!c->missing || !at->bytes == !spot->is_start))
			return at;
	}
	return NULL;
}

const struct annotated_at *self_row_of(const struct self_annotations *s, const struct self_use *use)
{
	const struct annotation *a = &s->all[use->function];
	const struct self_spot *spot = &s->spots[use->spot];

	for (size_t i = 0; i < a->nr_codes; i++)
		if (annotated_same_code(&a->codes[i], &spot->code))
			return row_in(&a->codes[i], spot);
	return NULL;
}

void self_annotations_exit(struct self_annotations *s)
{
	for (size_t i = 0; i < s->nr; i++)
		annotation_exit(&s->all[i]);
	free(s->all);
	free(s->spot_of);
	free(s->spots);
	free(s->uses);
	free(s->rank);
	frame_set_exit(&s->functions);
	index_exit(&s->spot_ids);
	idmap_exit(&s->use_ids);
	*s = (struct self_annotations){ 0 };
}
