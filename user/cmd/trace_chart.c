// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_chart.c - trees of calls as a flame chart: a lane for each task
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_chart.h"

static int add_lane(struct trace_chart *c, const struct call_tree *tree, uint64_t key, uint32_t *lane)
{
	struct chart *h = &c->chart;
	char *name;
	int err;

	if (asprintf(&name, tree->pid ? "%s, task %d" : "%s, idle task of CPU %d", tree->comm,
		     tree->pid ? tree->pid : (int)tree->cpu) < 0)
		return -ENOMEM;
	err = grow(&h->lanes, h->nr_lanes, &h->cap_lanes, sizeof(*h->lanes));
	if (!err)
		err = idmap_set(&c->lane_of, key, (uint32_t)h->nr_lanes);
	if (err) {
		free(name);
		return err;
	}
	*lane = (uint32_t)h->nr_lanes;
	h->lanes[h->nr_lanes++] = (struct chart_lane){ .name = name };
	return 0;
}

static int find_lane(struct trace_chart *c, const struct call_tree *tree, uint32_t *lane)
{
	uint64_t key = tree->pid ? (uint64_t)tree->pid : 1ull << 32 | tree->cpu;

	*lane = idmap_find(&c->lane_of, key);
	return *lane == INDEX_NONE ? add_lane(c, tree, key, lane) : 0;
}

/* Frames have the ids of their names */
static int find_frame(struct trace_chart *c, const struct interned *name, uint32_t *frame)
{
	struct chart *h = &c->chart;
	bool is_new;

	*frame = intern_bytes(&c->names, name->bytes, name->len, &is_new);
	if (*frame == INDEX_NONE)
		return -ENOMEM;
	if (!is_new)
		return 0;
	if (grow(&h->frames, h->nr_frames, &h->cap_frames, sizeof(*h->frames)))
		return -ENOMEM;
	h->frames[h->nr_frames++] = (struct frame){ .name = c->names.all[*frame].bytes, .kind = FRAME_KERNEL };
	return 0;
}

static uint64_t end_of(const struct call *call)
{
	return call->from_ns + call->duration_ns;
}

/* When the last call of a tree ended, as far as it is known */
static uint64_t end_of_tree(const struct call_tree *tree)
{
	uint64_t end = 0;

	for (size_t i = 0; i < tree->nr; i++)
		if (end_of(&tree->calls[i]) > end)
			end = end_of(&tree->calls[i]);
	return end;
}

/* A callee ends with its caller at the latest: times of begin are rounded to microseconds, and durations are not */
static int add_box(struct trace_chart *c, struct chart_lane *lane, const struct call *call, uint32_t frame, uint64_t limit)
{
	struct chart_box b = { .from_ns = call->from_ns, .to_ns = end_of(call), .frame = frame, .depth = call->depth };
	int err = grow(&lane->boxes, lane->nr, &lane->cap, sizeof(*lane->boxes));

	if (err)
		return err;
	if (call->end_lost || b.to_ns > limit)
		b.to_ns = limit;
	if (b.from_ns > b.to_ns)
		b.from_ns = b.to_ns;
	lane->boxes[lane->nr++] = b;
	if (!b.depth)
		lane->busy_ns += b.to_ns - b.from_ns;
	if (!c->calls++ || b.from_ns < c->chart.from_ns)
		c->chart.from_ns = b.from_ns;
	if (b.to_ns > c->chart.to_ns)
		c->chart.to_ns = b.to_ns;
	return 0;
}

int trace_chart_add(struct trace_chart *c, const struct call_trees *all, const struct call_tree *tree)
{
	uint64_t limit = end_of_tree(tree), *ends = NULL;
	size_t cap = 0;
	uint32_t lane, frame;
	int err;

	if (c->calls + tree->nr > CHART_CALLS) {
		c->left_out += tree->nr;
		return 0;
	}
	err = find_lane(c, tree, &lane);
	for (size_t i = 0; !err && i < tree->nr; i++) {
		const struct call *call = &tree->calls[i];
		struct chart_lane *l = &c->chart.lanes[lane];

		err = find_frame(c, &all->names.all[call->name], &frame);
		if (!err)
			err = grow(&ends, call->depth, &cap, sizeof(*ends));
		if (!err)
			err = add_box(c, l, call, frame, call->depth ? ends[call->depth - 1] : limit);
		if (!err)
			ends[call->depth] = l->boxes[l->nr - 1].to_ns;
	}
	free(ends);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct chart_lane *x = a, *y = b;

	return (x->busy_ns < y->busy_ns) - (x->busy_ns > y->busy_ns);
}

int trace_chart_write(FILE *out, struct trace_chart *c, const struct flame_options *o, struct flame_result *result)
{
	struct chart *h = &c->chart;

	for (size_t i = 0; i < h->nr_lanes; i++)
		for (size_t k = 0; k < h->lanes[i].nr; k++) {
			h->lanes[i].boxes[k].from_ns -= h->from_ns;
			h->lanes[i].boxes[k].to_ns -= h->from_ns;
		}
	h->to_ns -= h->from_ns;
	h->from_ns = 0;
	/* Readers look for the task that took most of the time */
	if (h->nr_lanes)
		qsort(h->lanes, h->nr_lanes, sizeof(*h->lanes), by_time);
	h->is_fine = true;
	return chart_write(out, h, o, result);
}

void trace_chart_exit(struct trace_chart *c)
{
	chart_exit(&c->chart);
	intern_exit(&c->names);
	idmap_exit(&c->lane_of);
}
