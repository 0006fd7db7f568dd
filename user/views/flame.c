// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame.c - layout and SVG of a flame graph
 *
 * Each frame is a group with its exact position and width (data-x, data-w, in units of the tree). The group
 * has a <title> as a tooltip without scripts, a rectangle, and a label.  When the user zooms or resizes the
 * picture, flame.js places the same groups again. It reads the geometry from the attributes of #frames.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stacks/tree_stacks.h"
#include "views/color.h"
#include "views/flame.h"
#include "views/flame_budget.h"
#include "views/flame_parts.h"

/* A drawn frame */
struct box {
	uint32_t node;
	uint64_t x;
};

struct picture {
	const struct tree *t;
	const struct flame_options *o;
	struct flame_budget budget;
	struct box *boxes;
	uint32_t nr_boxes;
	uint64_t too_narrow;
	uint64_t whole;
	uint32_t rows;
	struct flame_key key;
	bool has_ns;
};

static uint64_t weight_of(const struct picture *p, uint32_t node)
{
	return tree_weight(&p->t->nodes[node].total, p->o->unit);
}

static const struct frame *frame_of(const struct picture *p, uint32_t node)
{
	return &p->t->frames[p->t->nodes[node].frame];
}

/* Convert units of the tree to 1/100 pixel */
static uint64_t to_px(const struct picture *p, uint64_t units)
{
	return scale(units, flame_room(p->o), p->whole);
}

/* ------------------------------------------------------------------- layout */

static void add_box(struct picture *p, uint32_t node, uint64_t x)
{
	uint32_t depth = p->t->nodes[node].depth;

	p->boxes[p->nr_boxes++] = (struct box){ .node = node, .x = x };
	if (depth + 1 > p->rows)
		p->rows = depth + 1;
	p->key.has[look_of(frame_of(p, node))] = true;
}

/*
 * Place all frames: callees side by side, from the left edge of their caller.  Callees are no wider than
 * their caller. So below a frame that is too narrow, nothing else is drawn.
 */
static void lay_out(struct picture *p)
{
	uint64_t next_x[TREE_MAX_DEPTH + 2];

	next_x[0] = 0;
	for (uint32_t node = TREE_ROOT; node < p->t->nr_nodes; node++) {
		uint32_t depth = p->t->nodes[node].depth;
		uint64_t w = weight_of(p, node);
		uint64_t x = next_x[depth];

		if (!w)
			continue;
		next_x[depth] = x + w;
		next_x[depth + 1] = x;
		if (node != TREE_ROOT && !flame_budget_draws(&p->budget, to_px(p, w), depth))
			p->too_narrow++;
		else
			add_box(p, node, x);
	}
}

/* ---------------------------------------------------------------------- SVG */

static void put_count(FILE *out, const struct picture *p, uint64_t samples)
{
	char buf[TEXT_NUMBER];

	fputs_unlocked(text_count(buf, samples), out);
	putc_unlocked(' ', out);
	if (p->o->count_name)
		text_put_xml(out, p->o->count_name, SIZE_MAX);
	else
		fputs_unlocked(samples == 1 ? "sample" : "samples", out);
}

static void put_figures(FILE *out, const struct picture *p, uint32_t node)
{
	const struct tree_node *n = &p->t->nodes[node];
	uint64_t w = weight_of(p, node);
	char buf[TEXT_NUMBER];

	putc_unlocked('\n', out);
	if (!p->o->only_time)
		put_count(out, p, n->total.samples);
	if (p->has_ns && !p->o->only_time)
		fputs_unlocked(", ", out);
	if (p->has_ns)
		fputs_unlocked(text_ms(buf, n->total.ns), out);
	putc_unlocked('\n', out);
	fputs_unlocked(text_percent(buf, w, p->whole, 2), out);
	fputs_unlocked(" of all", out);
	if (node == TREE_ROOT)
		return;
	fputs_unlocked(", ", out);
	fputs_unlocked(text_percent(buf, w, weight_of(p, n->parent), 2), out);
	fputs_unlocked(" of its caller", out);
}

static void put_tooltip(FILE *out, const struct picture *p, uint32_t node)
{
	const struct flame_paint *paint = p->o->paint;

	fputs_unlocked("<title>", out);
	text_put_xml(out, frame_of(p, node)->name, SIZE_MAX);
	putc_unlocked('\n', out);
	if (node == TREE_ROOT)
		fputs_unlocked("everything drawn", out);
	else
		flame_put_look(out, frame_of(p, node));
	if (paint)
		paint->tell(out, paint->ctx, node);
	else
		put_figures(out, p, node);
	fputs_unlocked("</title>", out);
}

static void put_box(FILE *out, const struct picture *p, const struct box *b)
{
	const struct frame *f = frame_of(p, b->node);
	uint64_t units = weight_of(p, b->node);
	uint64_t x = to_px(p, b->x);
	uint64_t w = to_px(p, b->x + units) - x;
	uint32_t depth = p->t->nodes[b->node].depth;
	uint32_t y = FLAME_HEADER + (p->o->icicle ? depth : p->rows - 1 - depth) * p->o->row;
	char share[TEXT_NUMBER];

	text_percent(share, units, p->whole, 1);
	fputs_unlocked("<g class=\"", out);
	fputs_unlocked(flame_class(look_of(f)), out);
	putc_unlocked('"', out);
	flame_put_number(out, "data-x", b->x);
	flame_put_number(out, "data-w", units);
	putc_unlocked('>', out);
	put_tooltip(out, p, b->node);
	flame_put_rect(out, p->o, p->o->paint ? p->o->paint->color(p->o->paint->ctx, b->node) :
		       color_of(f, p->o->colors), f->name, p->o->percent ? share : NULL, x, w, y);
	fputs_unlocked("</g>\n", out);
}

static void put_picture(FILE *out, const struct picture *p)
{
	unsigned int height = FLAME_HEADER + p->rows * p->o->row + FLAME_FOOTER;

	flame_put_header(out, p->o, &p->key, height);
	fprintf(out, "<g id=\"frames\" data-unit=\"%s\" data-whole=\"%" PRIu64 "\" "
		"data-margin=\"%u\" data-pad=\"%u\" data-top=\"%u\" data-row=\"%u\"%s%s>\n",
		p->o->unit == TREE_NS ? "ns" : "samples", p->whole, FLAME_MARGIN, FLAME_PAD,
		FLAME_HEADER, p->o->row, p->o->icicle ? " data-icicle=\"1\"" : "",
		p->o->percent ? " data-percent=\"1\"" : "");
	for (uint32_t i = 0; i < p->nr_boxes; i++)
		put_box(out, p, &p->boxes[i]);
	fputs_unlocked("</g>\n", out);
	flame_put_foot(out, &p->budget, p->too_narrow, height);
	flame_put_end(out);
}

/* Return: the smallest weight of a drawn frame */
static uint64_t least_drawn(const struct flame_options *o, uint64_t whole)
{
	uint64_t none = 0, some = whole;

	while (none < some) {
		uint64_t middle = none + (some - none) / 2;

		if (scale(middle, flame_room(o), whole) < o->min_width)
			none = middle + 1;
		else
			some = middle;
	}
	return some;
}

/* A stack_fn */
static int weigh_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	struct flame_options *o = ctx;

	if (nr)
		o->by_look[look_of(&frames[nr - 1])] += tree_weight(&(struct weight){ samples, ns }, o->unit);
	return 0;
}

int flame_weigh(const struct tree *t, struct flame_options *o)
{
	memset(o->by_look, 0, sizeof(o->by_look));
	return tree_each_added(t, weigh_stack, o);
}

int flame_prune(struct tree *t, struct flame_options *o)
{
	struct weight sum = tree_sum(t);
	uint64_t whole = tree_weight(&sum, o->unit);

	return tree_prune(t, o->unit, least_drawn(o, whole), &o->pruned);
}

/* Choose the frames to draw.  Return: 0 or -ENOMEM */
static int choose(struct picture *p)
{
	int err = flame_budget_init(&p->budget, p->o);

	for (int round = 0; !err && round < 2; round++) {
		for (uint32_t node = TREE_ROOT + 1; node < p->t->nr_nodes; node++)
			if (weight_of(p, node))
				flame_budget_count(&p->budget, to_px(p, weight_of(p, node)), p->t->nodes[node].depth);
		err = flame_budget_settle(&p->budget);
	}
	flame_budget_exit(&p->budget);
	return err;
}

/* Get the weights of the legend's entries */
static void weigh_entries(struct picture *p)
{
	const struct flame_paint *paint = p->o->paint;

	memcpy(p->key.weight, p->o->by_look, sizeof(p->o->by_look));
	for (uint32_t node = TREE_ROOT + 1; paint && node < p->t->nr_nodes; node++)
		p->key.weight[paint->entry(paint->ctx, node)] += tree_weight(&p->t->nodes[node].self, p->o->unit);
}

int flame_write(FILE *out, const struct tree *t, const struct flame_options *o,
		struct flame_result *result)
{
	struct picture p = {
		.t = t,
		.o = o,
		.whole = tree_weight(&t->nodes[TREE_ROOT].total, o->unit),
		.has_ns = t->nodes[TREE_ROOT].total.ns != 0,
		.too_narrow = o->pruned,
	};

	if (choose(&p))
		return -ENOMEM;
	p.boxes = malloc(t->nr_nodes * sizeof(*p.boxes));
	if (!p.boxes)
		return -ENOMEM;
	lay_out(&p);
	weigh_entries(&p);
	put_picture(out, &p);
	result->drawn = p.nr_boxes;
	result->too_narrow = p.too_narrow;
	free(p.boxes);
	return 0;
}
