// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chart.c - turns samples in order of time into frames with begin and end
 *
 * Each lane has a stack of open frames.  A sample closes the frames that it lacks, from the innermost, and
 * opens its own new ones.  A frame gets its position in the lane when it opens. So callers are before
 * callees. If a frame is too short, it is removed when it closes. Its callees are no longer than itself, so
 * they are already removed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stacks/filter.h"
#include "views/chart.h"

/* A stack: its frames, outermost first, are at ids[first] and following */
struct stack {
	size_t first;
	size_t nr;
};

/* The open frames of a lane */
struct open_lane {
	uint64_t key;
	size_t *boxes;		/* indices in the lane */
	size_t nr, cap;
	uint64_t end_ns;	/* of the last sample */
	const struct profile_sample *last;
};

struct chart_private {
	const struct profile *p;
	const struct chart_options *o;
	struct index frame_index;
	struct stack *stacks;	/* by index of the count */
	uint32_t *ids;
	size_t nr_ids, cap_ids;
	struct open_lane *open;	/* by index of the lane */
	size_t cap_open;
	struct idmap lane_of;
	uint32_t late;		/* index of the note for late time */
	size_t count;		/* index of the count whose stack comes next */
};

/* ------------------------------------------------------------------- stacks */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_frame(const void *ctx, uint32_t i, const void *key)
{
	const struct frame *a = &((const struct chart *)ctx)->frames[i], *b = key;

	return a->kind == b->kind && !strcmp(a->name, b->name) && same_text(a->file, b->file);
}

static int frame_id(struct chart *c, const struct frame *f, uint32_t *id)
{
	uint64_t hash = hash_bytes(f->kind, f->name, strlen(f->name));
	int err;

	*id = index_find(&c->private->frame_index, hash, same_frame, c, f);
	if (*id != INDEX_NONE)
		return 0;
	err = grow(&c->frames, c->nr_frames, &c->cap_frames, sizeof(*c->frames));
	if (err)
		return err;
	*id = (uint32_t)c->nr_frames;
	c->frames[c->nr_frames++] = *f;
	return index_add(&c->private->frame_index, hash, *id);
}

/* A stack_fn: keep the part of a count's stack that the filter accepts */
static int keep_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		      uint64_t ns)
{
	struct chart *c = ctx;
	struct chart_private *v = c->private;
	struct stack *s = &v->stacks[v->count];
	int err = 0;

	(void)samples;
	(void)ns;
	s->first = v->nr_ids;
	for (size_t i = 0; !err && i < nr && i < TREE_MAX_DEPTH; i++) {
		err = grow(&v->ids, v->nr_ids, &v->cap_ids, sizeof(*v->ids));
		if (!err)
			err = frame_id(c, &frames[i], &v->ids[v->nr_ids]);
		if (!err)
			v->nr_ids++;
	}
	s->nr = v->nr_ids - s->first;
	return err;
}

/* A count_fn */
static int take_count(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct chart *c = ctx;
	struct chart_private *v = c->private;

	v->count = count;
	if (!v->o->idle && v->p->counts[count].context == KFLAME_CTX_IDLE)
		return 0;
	if (!filter_is_on(v->o->filter))
		return keep_stack(c, frames, nr, 1, 1);
	filter_passes_to(v->o->filter, keep_stack, c);
	return filter_stack(v->o->filter, frames, nr, 1, 1);
}

/* -------------------------------------------------------------------- lanes */

/* Idle tasks and gaps have one lane for each CPU; no thread has these keys */
static uint64_t lane_key(const struct chart_private *v, const struct profile_sample *s)
{
	const struct profile_count *n = &v->p->counts[s->count];

	if (v->o->by_cpu)
		return s->cpu;
	if (n->context == KFLAME_CTX_IDLE || n->context == KFLAME_CTX_GAP)
		return 1ull << 63 | s->cpu;
	return (uint64_t)(n->tgid & INT32_MAX) << 32 | n->tid;
}

/* Take the name of the last sample: a process is renamed when it runs a program */
static int name_lane(const struct chart_private *v, struct chart_lane *l, const struct profile_sample *s)
{
	const struct profile_count *n = &v->p->counts[s->count];
	bool is_thread = !v->o->by_cpu && n->context != KFLAME_CTX_IDLE &&
			 n->context != KFLAME_CTX_GAP;
	int len;

	l->cpu = s->cpu;
	l->comm = n->comm;
	if (is_thread) {
		l->pid = n->tgid;
		l->tid = n->tid ? n->tid : n->tgid;
	}
	if (!is_thread)
		len = asprintf(&l->name, "CPU %u", s->cpu);
	else if (l->tid != l->pid)
		len = asprintf(&l->name, "%s, thread %u of %u", n->comm, l->tid, l->pid);
	else
		len = asprintf(&l->name, "%s, process %u", n->comm, l->pid);
	if (len >= 0)
		return 0;
	l->name = NULL;
	return -ENOMEM;
}

static int find_lane(struct chart *c, const struct profile_sample *s, uint32_t *lane)
{
	struct chart_private *v = c->private;
	uint64_t key = lane_key(v, s);
	int err;

	*lane = idmap_find(&v->lane_of, key);
	if (*lane != INDEX_NONE)
		return 0;
	err = grow(&c->lanes, c->nr_lanes, &c->cap_lanes, sizeof(*c->lanes));
	if (!err)
		err = grow(&v->open, c->nr_lanes, &v->cap_open, sizeof(*v->open));
	if (err)
		return err;
	*lane = (uint32_t)c->nr_lanes;
	c->lanes[*lane] = (struct chart_lane){ 0 };
	v->open[*lane] = (struct open_lane){ .key = key };
	c->nr_lanes++;
	return idmap_set(&v->lane_of, key, *lane);
}

/* Close all frames from @depth on */
static void close_from(struct chart *c, uint32_t lane, size_t depth)
{
	struct chart_lane *l = &c->lanes[lane];
	struct open_lane *o = &c->private->open[lane];

	while (o->nr > depth) {
		struct chart_box *b = &l->boxes[o->boxes[--o->nr]];

		b->to_ns = o->end_ns;
		if (b->to_ns - b->from_ns >= c->private->o->shortest_ns)
			continue;
		c->too_narrow++;
		l->nr = o->boxes[o->nr];
	}
}

static int open_box(struct chart *c, uint32_t lane, uint32_t frame, uint64_t at)
{
	struct chart_lane *l = &c->lanes[lane];
	struct open_lane *o = &c->private->open[lane];
	int err = grow(&l->boxes, l->nr, &l->cap, sizeof(*l->boxes));

	if (!err)
		err = grow(&o->boxes, o->nr, &o->cap, sizeof(*o->boxes));
	if (err)
		return err;
	l->boxes[l->nr] = (struct chart_box){
		.from_ns = at, .frame = frame, .depth = (uint32_t)o->nr,
	};
	o->boxes[o->nr++] = l->nr++;
	return 0;
}

/* Show the frames @ids and the note @note (INDEX_NONE: no note) from @from to @to */
static int show(struct chart *c, uint32_t lane, const uint32_t *ids, size_t nr, uint32_t note,
		uint64_t from, uint64_t to)
{
	struct chart_lane *l = &c->lanes[lane];
	struct open_lane *o = &c->private->open[lane];
	size_t shared = 0, all = nr + (note != INDEX_NONE);
	int err = 0;

	/* The thread moved to another CPU, where samples are due at other times */
	if (from < o->end_ns)
		from = o->end_ns;
	if (from >= to)
		return 0;
	if (from == o->end_ns)
		while (shared < o->nr && shared < all && l->boxes[o->boxes[shared]].frame ==
		       (shared < nr ? ids[shared] : note))
			shared++;
	close_from(c, lane, shared);
	for (size_t i = shared; !err && i < all; i++)
		err = open_box(c, lane, i < nr ? ids[i] : note, from);
	if (all)
		c->by_look[look_of(&c->frames[nr < all ? note : ids[nr - 1]])] += to - from;
	l->busy_ns += to - from;
	o->end_ns = to;
	return err;
}

static int take_sample(struct chart *c, const struct profile_sample *s)
{
	struct chart_private *v = c->private;
	const struct stack *stack = &v->stacks[s->count];
	const uint32_t *ids = v->ids + stack->first;
	uint64_t at, end, late = s->late_ns;
	uint32_t lane;
	int err;

	if (!stack->nr)
		return 0;
	profile_sample_span(v->p, s, &at, &end);
	if (at < c->from_ns)
		at = c->from_ns;
	/* The last sample ends with the recording */
	if (end > c->to_ns)
		end = c->to_ns;
	/* Late idle time counts as idle.  All time of a gap is late: as in stacks/stacks.c */
	if (v->p->counts[s->count].context == KFLAME_CTX_IDLE ||
	    v->p->counts[s->count].context == KFLAME_CTX_GAP)
		late = 0;
	err = find_lane(c, s, &lane);
	if (err)
		return err;
	v->open[lane].last = s;
	if (late)
		err = show(c, lane, ids, stack->nr, v->late, at, at + late < end ? at + late : end);
	return err ? err : show(c, lane, ids, stack->nr, INDEX_NONE, at + late, end);
}

/* The sort key of a lane */
struct ranked {
	uint64_t key;
	uint64_t busy_ns;	/* of all lanes of its process */
	size_t lane;		/* its present index */
};

static int by_key(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Idle time and gaps come last */
static int by_process(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key >> 63 != y->key >> 63)
		return x->key >> 63 ? 1 : -1;
	if (!(x->key >> 63) && x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns ? -1 : 1;
	return by_key(a, b);
}

/* Add up neighbours whose keys rise: they are the lanes of one process */
static void add_up(struct ranked *all, size_t nr)
{
	for (size_t first = 0, end; first < nr; first = end) {
		uint64_t sum = 0;

		for (end = first; end < nr && all[end].key >> 32 == all[first].key >> 32; end++)
			sum += all[end].busy_ns;
		for (size_t i = first; i < end; i++)
			all[i].busy_ns = sum;
	}
}

/*
 * The busiest process comes first, because readers look for it. Its threads are in the order of
 * their ids, and so are CPUs (all of one "process").  Return: 0 or -ENOMEM
 */
static int sort_lanes(struct chart *c)
{
	struct ranked *order = calloc(c->nr_lanes + 1, sizeof(*order));
	struct chart_lane *lanes = calloc(c->nr_lanes + 1, sizeof(*lanes));

	if (!order || !lanes) {
		free(order);
		free(lanes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < c->nr_lanes; i++)
		order[i] = (struct ranked){ c->private->open[i].key, c->lanes[i].busy_ns, i };
	qsort(order, c->nr_lanes, sizeof(*order), by_key);
	add_up(order, c->nr_lanes);
	qsort(order, c->nr_lanes, sizeof(*order), by_process);
	for (size_t i = 0; i < c->nr_lanes; i++)
		lanes[i] = c->lanes[order[i].lane];
	free(order);
	free(c->lanes);
	c->lanes = lanes;
	c->cap_lanes = c->nr_lanes + 1;
	return 0;
}

/* Where a sample begins, and its index in .timeline */
struct begin {
	uint64_t at;
	size_t sample;
};

static int by_begin(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

/*
 * A profile has waits in the order in which they ended. A sample that is taken as a wait ends may begin earlier than
 * that, and in a lane the wait must come first.
 */
static int take_samples(struct chart *c, const struct profile *p)
{
	struct begin *order = calloc(p->nr_timeline + 1, sizeof(*order));
	uint64_t end;
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->nr_timeline; i++) {
		order[i].sample = i;
		profile_sample_span(p, &p->timeline[i], &order[i].at, &end);
	}
	if (!err)
		qsort(order, p->nr_timeline, sizeof(*order), by_begin);
	for (size_t i = 0; !err && i < p->nr_timeline; i++)
		err = take_sample(c, &p->timeline[order[i].sample]);
	free(order);
	return err;
}

int chart_make(struct chart *c, const struct profile *p, const struct chart_options *o)
{
	static const struct frame late = { STACK_LATE, NULL, FRAME_NOTE };
	struct chart_private *v = calloc(1, sizeof(*v));
	int err;

	*c = (struct chart){
		.private = v, .to_ns = p->span.is_cut ? p->span.to_ns :
				       p->span.end_ns - p->span.start_ns,
		.from_ns = p->span.from_ns,
	};
	if (!v)
		return -ENOMEM;
	v->p = p;
	v->o = o;
	v->stacks = calloc(p->nr_counts + 1, sizeof(*v->stacks));
	if (!v->stacks)
		return -ENOMEM;
	err = frame_id(c, &late, &v->late);
	if (!err)
		err = profile_each_count(p, take_count, c);
	if (!err)
		err = take_samples(c, p);
	for (size_t i = 0; !err && i < c->nr_lanes; i++) {
		close_from(c, (uint32_t)i, 0);
		err = name_lane(v, &c->lanes[i], v->open[i].last);
	}
	return err ? err : sort_lanes(c);
}

void chart_exit(struct chart *c)
{
	struct chart_private *v = c->private;

	for (size_t i = 0; i < c->nr_lanes; i++) {
		free(c->lanes[i].name);
		free(c->lanes[i].boxes);
		if (v)
			free(v->open[i].boxes);
	}
	free(c->lanes);
	free(c->frames);
	if (v) {
		index_exit(&v->frame_index);
		idmap_exit(&v->lane_of);
		free(v->stacks);
		free(v->ids);
		free(v->open);
	}
	free(v);
}
