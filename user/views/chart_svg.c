// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chart_svg.c - layout and SVG of a flame chart
 *
 * The picture is a flame graph with the same script. Widths are nanoseconds, and the root is all of the
 * time. The name of a lane is a frame as wide as the root, with the frames of the lane below it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/chart.h"
#include "views/flame_parts.h"

#define CHART_TOP	(FLAME_HEADER + 18u)	/* with the time axis above */

struct picture {
	const struct chart *c;
	const struct flame_options *o;
	struct flame_budget budget;
	uint64_t whole;		/* ns */
	uint64_t drawn;
	uint64_t too_narrow;
};

uint64_t chart_shortest(const struct flame_options *o, uint64_t length)
{
	return scale(length, o->min_width, flame_room(o));
}

static uint64_t to_px(const struct picture *p, uint64_t ns)
{
	return scale(ns, flame_room(p->o), p->whole);
}

static uint64_t width_of(const struct picture *p, const struct chart_box *b)
{
	return to_px(p, b->to_ns - b->from_ns);
}

/* With an explicit minimum width, all boxes of a chart that chart_make() made are wide enough */
static bool draws(const struct picture *p, const struct chart_box *b)
{
	return !p->o->frames || flame_budget_draws(&p->budget, width_of(p, b), b->depth);
}

/* Microseconds are exact enough */
static void put_time(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64 " s", ns / 1000000000, ns / 1000 % 1000000);
}

static const char *length(const struct picture *p, char *buf, uint64_t ns)
{
	if (!p->c->is_fine)
		return text_ms(buf, ns);
	snprintf(buf, TEXT_NUMBER, "%" PRIu64 ".%03" PRIu64 " us", ns / 1000, ns % 1000);
	return buf;
}

static void begin_box(FILE *out, const char *class, bool is_lane, uint64_t x, uint64_t w)
{
	fprintf(out, "<g class=\"%s\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\"%s><title>", class,
		x, w, is_lane ? " data-lane=\"1\"" : "");
}

static void put_row(FILE *out, struct picture *p, uint32_t color, const char *name, uint64_t x,
		    uint64_t w, uint32_t row)
{
	uint64_t left = to_px(p, x);

	fputs("</title>", out);
	flame_put_rect(out, p->o, color, name, NULL, left, to_px(p, x + w) - left,
		       CHART_TOP + row * p->o->row);
	fputs("</g>\n", out);
	p->drawn++;
}

static void put_lane_name(FILE *out, struct picture *p, const struct chart_lane *l, uint32_t row)
{
	char buf[TEXT_NUMBER];

	begin_box(out, "r", true, 0, p->whole);
	text_put_xml(out, l->name, SIZE_MAX);
	fprintf(out, "\nlane\n%s", length(p, buf, l->busy_ns));
	fprintf(out, ", %s of the time", text_percent(buf, l->busy_ns, p->whole, 2));
	put_row(out, p, color_of_look(LOOK_GROUP, p->o->colors), l->name, 0, p->whole, row);
}

static void put_box(FILE *out, struct picture *p, const struct chart_box *b, uint32_t row)
{
	const struct frame *f = &p->c->frames[b->frame];
	uint64_t w = b->to_ns - b->from_ns;
	char buf[TEXT_NUMBER];

	begin_box(out, flame_class(look_of(f)), false, b->from_ns - p->c->from_ns, w);
	text_put_xml(out, f->name, SIZE_MAX);
	putc('\n', out);
	flame_put_look(out, f);
	fprintf(out, "\n%s, from ", length(p, buf, w));
	put_time(out, b->from_ns);
	fputs(" to ", out);
	put_time(out, b->to_ns);
	put_row(out, p, color_of(f, p->o->colors), f->name, b->from_ns - p->c->from_ns, w, row);
}

static void put_root(FILE *out, struct picture *p)
{
	char buf[TEXT_NUMBER];

	begin_box(out, "n", false, 0, p->whole);
	fprintf(out, "all\nall of the time\n%s, from ", length(p, buf, p->whole));
	put_time(out, p->c->from_ns);
	fputs(" to ", out);
	put_time(out, p->c->to_ns);
	put_row(out, p, color_of_look(LOOK_NOTE, p->o->colors), "all", 0, p->whole, 0);
}

/* Return: how many rows a lane has, without its name; 0 if none of its frames is drawn */
static uint32_t rows_of(const struct picture *p, const struct chart_lane *l)
{
	uint32_t rows = 0;

	for (size_t k = 0; k < l->nr; k++)
		if (l->boxes[k].depth >= rows && draws(p, &l->boxes[k]))
			rows = l->boxes[k].depth + 1;
	return rows;
}

/* Count the rows for the root, and for all lanes with their names, and find the kinds of frames */
static uint32_t lay_out(const struct picture *p, struct flame_key *key)
{
	const struct chart *c = p->c;
	uint32_t rows = 1;

	memcpy(key->weight, c->by_look, sizeof(c->by_look));
	for (size_t i = 0; i < c->nr_lanes; i++) {
		const struct chart_lane *l = &c->lanes[i];
		uint32_t nr = rows_of(p, l);

		if (!nr)
			continue;
		rows += 1 + nr;
		for (size_t k = 0; k < l->nr; k++)
			if (draws(p, &l->boxes[k]))
				key->has[look_of(&c->frames[l->boxes[k].frame])] = true;
	}
	return rows;
}

/* Choose the frames to draw.  Return: 0 or -ENOMEM */
static int choose(struct picture *p)
{
	int err = flame_budget_init(&p->budget, p->o);

	for (int round = 0; !err && round < 2; round++) {
		for (size_t i = 0; i < p->c->nr_lanes; i++)
			for (size_t k = 0; k < p->c->lanes[i].nr; k++)
				flame_budget_count(&p->budget, width_of(p, &p->c->lanes[i].boxes[k]),
						   p->c->lanes[i].boxes[k].depth);
		err = flame_budget_settle(&p->budget);
	}
	flame_budget_exit(&p->budget);
	return err;
}

static void put_boxes(FILE *out, struct picture *p, const struct chart_lane *l, uint32_t row)
{
	for (size_t k = 0; k < l->nr; k++) {
		const struct chart_box *b = &l->boxes[k];

		if (draws(p, b))
			put_box(out, p, b, row + b->depth);
		else
			p->too_narrow++;
	}
}

static void put_lanes(FILE *out, struct picture *p)
{
	uint32_t row = 1;

	for (size_t i = 0; i < p->c->nr_lanes; i++) {
		const struct chart_lane *l = &p->c->lanes[i];
		uint32_t rows = rows_of(p, l);

		if (!rows) {
			p->too_narrow += l->nr;
			continue;
		}
		put_lane_name(out, p, l, row++);
		put_boxes(out, p, l, row);
		row += rows;
	}
}

int chart_write(FILE *out, const struct chart *c, const struct flame_options *o, struct flame_result *result)
{
	struct picture p = { .c = c, .o = o, .whole = c->to_ns - c->from_ns, .too_narrow = c->too_narrow };
	struct flame_key key = { .has = { 0 } };
	unsigned int height;

	if (choose(&p))
		return -ENOMEM;
	height = CHART_TOP + lay_out(&p, &key) * o->row + FLAME_FOOTER;
	flame_put_header(out, o, &key, height);
	fprintf(out, "<g id=\"frames\" data-unit=\"ns\" data-whole=\"%" PRIu64 "\" "
		"data-margin=\"%u\" data-pad=\"%u\" data-top=\"%u\" data-row=\"%u\" "
		"data-icicle=\"1\" data-chart=\"1\" data-from=\"%" PRIu64 "\">\n", p.whole,
		FLAME_MARGIN, FLAME_PAD, CHART_TOP, o->row, c->from_ns);
	put_root(out, &p);
	put_lanes(out, &p);
	fputs("</g>\n", out);
	flame_put_foot(out, &p.budget, p.too_narrow, height);
	flame_put_end(out);
	*result = (struct flame_result){ .drawn = p.drawn, .too_narrow = p.too_narrow };
	return 0;
}
