// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_self.c - annotations of the functions with the most self time, in three walks through the samples
 *
 * The first walk finds the functions. The second one adds their samples. Instructions follow from these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "stacks/stacks.h"
#include "views/annotate_self.h"
#include "views/annotate_sums.h"

#define LINES_NS	(60 * NS_PER_S)
#define PARTS		1000000000u	/* shares of events are in 1/PARTS */

/* The functions with the address where a sample ended: the innermost one, and those that it was inlined into */
struct ends {
	const struct sample *s;
	size_t from, nr;	/* index of the outermost and the number of them; the innermost one is the last frame */
};

static bool is_function(const struct frame *f)
{
	return f->kind != FRAME_COMM && f->kind != FRAME_ROOT && f->kind != FRAME_NOTE;
}

static struct ends ends_of(const struct sample *s)
{
	struct ends e = { .s = s, .from = s->nr - 1 };

	/* A tree cuts deeper stacks, so their end is a note */
	if (s->nr > TREE_MAX_DEPTH || !is_function(&s->frames[e.from]))
		return e;
	for (e.nr = 1; e.from && s->places[e.from].inlined && !s->places[e.from - 1].caller &&
	     s->places[e.from - 1].address == s->places[e.from].address; e.nr++)
		e.from--;
	return e;
}

/* Functions with the same name and file are one, inlined or not */
static int number_of(struct self_annotations *s, const struct frame *f, uint32_t *number)
{
	return frame_set_number(&s->functions, &(struct frame){ .name = f->name, .file = f->file, .kind = FRAME_USER },
				number);
}

/* ------------------------------------------------------------- the functions */

/* Time of a function, or of a whole event */
struct score {
	uint32_t function;
	uint64_t share;		/* in PARTS of the events */
};

struct ranking {
	struct self_annotations *s;
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
	uint32_t i = idmap_find(&r->ids, key);
	int err = 0;

	if (i == INDEX_NONE) {
		i = (uint32_t)r->nr;
		err = grow(&r->sums, r->nr, &r->cap, sizeof(*r->sums));
		if (!err)
			err = idmap_set(&r->ids, key, i);
		if (err)
			return err;
		r->sums[r->nr++] = (struct weight){ 0 };
	}
	weight_add(&r->sums[i], w);
	return 0;
}

/* SELF_NONE stands for all functions of an event */
static int rank_sample(void *ctx, const struct sample *s)
{
	const struct weight w = { s->samples, s->ns };
	const bool is_idle = stack_is_idle(s->frames, s->nr);
	const struct ends e = ends_of(s);
	struct ranking *r = ctx;
	uint32_t function;
	int err;

	err = is_idle ? 0 : add_sum(r, key_of(s, SELF_NONE), &w);
	for (size_t i = 0; !err && i < e.nr; i++) {
		err = number_of(r->s, &s->frames[e.from + i], &function);
		if (!err && !is_idle)
			err = add_sum(r, key_of(s, function), &w);
	}
	return err;
}

static int by_share(const void *a, const void *b, void *ctx)
{
	const struct score *x = a, *y = b;
	const struct frame *all = ctx;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return frame_compare(&all[x->function], &all[y->function]);
}

/* Return: the shares of all functions, the largest first, to be freed; NULL if memory is short */
static struct score *score(const struct ranking *r)
{
	const struct frame_set *functions = &r->s->functions;
	struct score *all = calloc(functions->nr + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < functions->nr; i++)
		all[i].function = i;
	for (uint32_t i = 0; all && i < r->ids.nr; i++) {
		const uint64_t key = r->ids.all[i].id;
		const struct weight *w = &r->sums[r->ids.all[i].value];
		const struct weight *whole = &r->sums[idmap_find(&r->ids, key | SELF_NONE)];

		if ((uint32_t)key != SELF_NONE)
			all[(uint32_t)key].share += whole->ns ? scale(w->ns, PARTS, whole->ns) :
				scale(w->samples, PARTS, whole->samples);
	}
	if (all)
		qsort_r(all, functions->nr, sizeof(*all), by_share, functions->all);
	return all;
}

static int choose(struct self_annotations *s, const struct profile *p, const struct naming *naming, size_t most)
{
	struct ranking r = { .s = s };
	struct score *scores = NULL;
	int err = profile_each_sample(p, rank_sample, &r);

	if (!err) {
		scores = score(&r);
		s->all = calloc(most + 1, sizeof(*s->all));
		s->rank = malloc((s->functions.nr + 1) * sizeof(*s->rank));
		err = scores && s->all && s->rank ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !err && i < s->functions.nr; i++) {
		const bool is_chosen = scores[i].share && i < most;

		s->rank[scores[i].function] = is_chosen ? i : SELF_NONE;
		s->nr_left_out += scores[i].share && !is_chosen;
		if (is_chosen)
			s->all[s->nr++] = (struct annotation){
				.owner = p->owner, .symbols = naming->symbols,
				.function = s->functions.all[scores[i].function],
			};
	}
	s->nr_ranks = s->functions.nr;
	free(scores);
	free(r.sums);
	idmap_exit(&r.ids);
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
	uint32_t i = idmap_find(&s->use_ids, key);
	int err;

	if (i == INDEX_NONE) {
		i = (uint32_t)s->nr_uses;
		err = grow(&s->uses, s->nr_uses, &s->cap_uses, sizeof(*s->uses));
		if (!err)
			err = idmap_set(&s->use_ids, key, i);
		if (err)
			return err;
		s->uses[s->nr_uses++] = (struct self_use){
			.function = function, .spot = spot, .is_self = is_self,
			.frame = sample->frames[frame], .place = sample->places[frame],
		};
	}
	weight_add(&s->uses[i].weight, &w);
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

/* The innermost call counts of a function that was inlined into itself */
static int add_sample(void *ctx, const struct sample *s)
{
	const struct ends e = ends_of(s);
	uint32_t spot = SELF_NONE, number, *rank;
	struct adding *a = ctx;
	int err = 0;

	for (size_t i = s->nr; !err && i-- > e.from && e.nr;) {
		bool is_known = false;

		err = number_of(a->s, &s->frames[i], &number);
		rank = &a->s->rank[number];
		if (err || *rank == SELF_NONE)
			continue;
		for (size_t k = i + 1; k < s->nr; k++)
			is_known |= !strcmp(s->frames[k].name, s->frames[i].name);
		if (is_known)
			continue;
		if (spot == SELF_NONE)
			err = spot_of_sample(a, s, &spot);
		if (!err)
			err = add_use(a->s, s, i, *rank, spot);
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

	if (!is_function(f) || number_of(s, f, &number) || number >= s->nr_ranks)
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
