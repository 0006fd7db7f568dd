// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame.c - layout and SVG of a flame graph
 *
 * Each frame is a group with its exact place and width (data-x, data-w, in
 * units of the tree), a <title> for tooltips without scripts, a rectangle and a
 * label.  flame.js lays the same groups out again when the picture is zoomed or
 * resized; whatever geometry it needs it reads from the attributes of #frames.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "brief.h"
#include "color.h"
#include "flame.h"
#include "flame_assets.h"
#include "text.h"

/* Pixels; letters are those of a 12 px fixed-width font, in 1/100 px */
#define MARGIN		16u
#define HEADER		88u
#define FOOTER		34u
#define LABEL_PAD	4u
#define LETTER		725u
#define TITLE_LETTER	1050u	/* of the title, 17 px and bold: rather too much */

/* A frame that is drawn */
struct box {
	uint32_t node;
	uint64_t x;
};

struct picture {
	const struct tree *t;
	const struct flame_options *o;
	struct box *boxes;
	uint32_t nr_boxes;
	uint64_t too_narrow;
	uint64_t whole;
	uint32_t rows;
	bool has_look[LOOK_NR];
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

/* 1/100 pixels that there are for frames */
static uint64_t room_of(const struct flame_options *o)
{
	return (o->width - 2 * MARGIN) * 100ull;
}

/* Units of the tree to 1/100 pixel */
static uint64_t to_px(const struct picture *p, uint64_t units)
{
	return scale(units, room_of(p->o), p->whole);
}

static void put_px(FILE *out, const char *name, uint64_t px)
{
	fprintf(out, " %s=\"%" PRIu64, name, px / 100);
	if (px % 100)
		fprintf(out, ".%02" PRIu64, px % 100);
	putc('"', out);
}

/* ------------------------------------------------------------------- layout */

static void add_box(struct picture *p, uint32_t node, uint64_t x)
{
	uint32_t depth = p->t->nodes[node].depth;

	p->boxes[p->nr_boxes++] = (struct box){ .node = node, .x = x };
	if (depth + 1 > p->rows)
		p->rows = depth + 1;
	p->has_look[look_of(frame_of(p, node))] = true;
}

/*
 * Gives every frame its place: callees side by side from the left edge of
 * their caller.  What is above a frame that is too narrow is no wider, so no
 * frame ever stands on one that is not drawn.
 */
static void lay_out(struct picture *p)
{
	uint64_t next_x[TREE_MAX_DEPTH + 2];

	next_x[0] = 0;
	for (uint32_t i = 0; i < p->t->nr_nodes; i++) {
		uint32_t node = p->t->order[i];
		uint32_t depth = p->t->nodes[node].depth;
		uint64_t w = weight_of(p, node);
		uint64_t x = next_x[depth];

		if (!w)
			continue;
		next_x[depth] = x + w;
		next_x[depth + 1] = x;
		if (node != TREE_ROOT && to_px(p, w) < p->o->min_width)
			p->too_narrow++;
		else
			add_box(p, node, x);
	}
}

/* ---------------------------------------------------------------------- SVG */

/* The class of its group, a word for tooltips, and for the legend: in its order */
static const struct {
	char class[2];
	const char *word;
	const char *legend;
} looks[] = {
	[LOOK_USER]	 = { "u", "user", "user" },
	[LOOK_INLINED]	 = { "i", "inlined", "inlined" },
	[LOOK_JIT]	 = { "j", "compiled just in time", "JIT" },
	[LOOK_KERNEL]	 = { "k", "kernel", "kernel" },
	[LOOK_INTERRUPT] = { "s", "kernel, in a softirq", "interrupt" },
	[LOOK_LOST]	 = { "l", "lost", "lost" },
	[LOOK_GROUP]	 = { "r", "group", "group" },
	[LOOK_THREAD]	 = { "t", "thread", "thread" },
	[LOOK_NOTE]	 = { "n", "note", "not a function" },
};

static void put_look(FILE *out, const struct frame *f, uint32_t node)
{
	enum look look = look_of(f);

	fputs(node == TREE_ROOT ? "everything drawn" : looks[look].word, out);
	if (f->file && look != LOOK_JIT) {
		fputs(", ", out);
		text_put_xml(out, f->file, SIZE_MAX);
	}
}

static void put_count(FILE *out, const struct picture *p, uint64_t samples)
{
	char buf[TEXT_NUMBER];

	fputs(text_count(buf, samples), out);
	putc(' ', out);
	if (p->o->count_name)
		text_put_xml(out, p->o->count_name, SIZE_MAX);
	else
		fputs(samples == 1 ? "sample" : "samples", out);
}

static void put_figures(FILE *out, const struct picture *p, uint32_t node)
{
	const struct tree_node *n = &p->t->nodes[node];
	uint64_t w = weight_of(p, node);
	char buf[TEXT_NUMBER];

	putc('\n', out);
	put_count(out, p, n->total.samples);
	if (p->has_ns)
		fprintf(out, ", %s", text_ms(buf, n->total.ns));
	fprintf(out, "\n%s of all", text_percent(buf, w, p->whole, 2));
	if (node != TREE_ROOT)
		fprintf(out, ", %s of its caller",
			text_percent(buf, w, weight_of(p, n->parent), 2));
}

static void put_tooltip(FILE *out, const struct picture *p, uint32_t node)
{
	const struct flame_paint *paint = p->o->paint;

	fputs("<title>", out);
	text_put_xml(out, frame_of(p, node)->name, SIZE_MAX);
	putc('\n', out);
	put_look(out, frame_of(p, node), node);
	if (paint)
		paint->tell(out, paint->ctx, node);
	else
		put_figures(out, p, node);
	fputs("</title>", out);
}

/* A text of which only so many cells fit */
static void put_cut(FILE *out, const char *s, size_t room)
{
	bool whole = text_width(s) <= room;

	text_put_xml(out, s, whole ? SIZE_MAX : room - 2);
	fputs(whole ? "" : "..", out);
}

/*
 * As much of the name as fits, in whole letters, without its template arguments where it
 * does not fit as it is; flame.js does the same
 */
static void put_label(FILE *out, const char *name, const char *share, uint64_t x, uint64_t w,
		      uint32_t y)
{
	size_t room = w > 2 * LABEL_PAD * 100 ? (w - 2 * LABEL_PAD * 100) / LETTER : 0;
	size_t cells = text_width(name);
	bool fits = cells <= room;
	char *brief;

	if (room < 3 && !fits)
		return;
	brief = fits ? NULL : brief_name(name);
	fputs("<text", out);
	put_px(out, "x", x + LABEL_PAD * 100);
	fprintf(out, " y=\"%u\">", y);
	put_cut(out, brief ? brief : name, room);
	if (share && cells + 1 + strlen(share) <= room)
		fprintf(out, " %s", share);
	fputs("</text>", out);
	free(brief);
}

static void put_box(FILE *out, const struct picture *p, const struct box *b)
{
	const struct frame *f = frame_of(p, b->node);
	uint64_t units = weight_of(p, b->node);
	uint64_t x = to_px(p, b->x);
	uint64_t w = to_px(p, b->x + units) - x;
	uint32_t depth = p->t->nodes[b->node].depth;
	uint32_t y = HEADER + (p->o->icicle ? depth : p->rows - 1 - depth) * p->o->row;
	char share[TEXT_NUMBER];

	x += MARGIN * 100;
	/* A hair of space between neighbours, where there is room for it */
	if (w > 300)
		w -= 50;
	fprintf(out, "<g class=\"%s\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\">",
		looks[look_of(f)].class, b->x, units);
	put_tooltip(out, p, b->node);
	fputs("<rect", out);
	put_px(out, "x", x);
	fprintf(out, " y=\"%u\"", y);
	put_px(out, "width", w);
	fprintf(out, " height=\"%u\" fill=\"#%06x\"/>", p->o->row - 1, p->o->paint ?
		p->o->paint->color(p->o->paint->ctx, b->node) : color_of(f, p->o->colors));
	text_percent(share, units, p->whole, 1);
	put_label(out, f->name, p->o->percent ? share : NULL, x, w, y + p->o->row / 2 + 4);
	fputs("</g>\n", out);
}

/* A colour and what it says.  Return: where the next one goes */
static unsigned int put_entry(FILE *out, const char *class, uint32_t color, unsigned int x,
			      const char *text)
{
	fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"62\" width=\"12\" height=\"12\" "
		"fill=\"#%06x\"/><text x=\"%u\" y=\"72\">%s</text>\n", class, x, color, x + 17, text);
	return x + 17 + (unsigned int)text_width(text) * 7 + 16;
}

static void put_legend(FILE *out, const struct picture *p)
{
	const struct flame_legend *painted = p->o->paint ? p->o->paint->legend : NULL;
	unsigned int x = MARGIN;

	if (p->o->colors != PALETTE_LOOK)
		return;
	fputs("<g id=\"legend\">\n", out);
	for (enum look i = 0; !painted && i < LOOK_NR; i++)
		if (p->has_look[i])
			x = put_entry(out, looks[i].class, color_of_look(i), x, looks[i].legend);
	for (; painted && painted->text; painted++)
		x = put_entry(out, "d", painted->color, x, painted->text);
	fputs("</g>\n", out);
}

static void put_header(FILE *out, const struct picture *p, unsigned int height)
{
	const struct flame_options *o = p->o;

	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\">\n<title>", o->width, height, o->width, height);
	text_put_xml(out, o->title, SIZE_MAX);
	fprintf(out, "</title>\n<style><![CDATA[\n%s]]></style>\n", flame_css);
	fputs("<rect id=\"paper\" width=\"100%\" height=\"100%\"/>\n", out);
	fprintf(out, "<g id=\"head\">\n<rect id=\"shade\" width=\"100%%\" height=\"%u\"/>\n"
		"<text id=\"title\" x=\"%u\" y=\"28\">", HEADER - 6, MARGIN);
	put_cut(out, o->title, (o->width - 2 * MARGIN) * 100 / TITLE_LETTER);
	fprintf(out, "</text>\n<text id=\"subtitle\" x=\"%u\" y=\"48\">", MARGIN);
	text_put_xml(out, o->subtitle, SIZE_MAX);
	fputs("</text>\n", out);
	put_legend(out, p);
	fputs("</g>\n", out);
}

static void put_foot(FILE *out, const struct picture *p, unsigned int height)
{
	unsigned int min = p->o->min_width;
	char buf[TEXT_NUMBER];

	if (!p->too_narrow)
		return;
	fprintf(out, "<text id=\"note\" x=\"%u\" y=\"%u\">%s frame%s narrower than "
		"%u.%0*u px %s not drawn (--min-width)</text>\n", MARGIN, height - 12,
		text_count(buf, p->too_narrow), p->too_narrow == 1 ? "" : "s",
		min / 100, min % 10 ? 2 : 1, min % 10 ? min % 100 : min % 100 / 10,
		p->too_narrow == 1 ? "is" : "are");
}

static void put_picture(FILE *out, const struct picture *p)
{
	unsigned int height = HEADER + p->rows * p->o->row + FOOTER;

	put_header(out, p, height);
	fprintf(out, "<g id=\"frames\" data-unit=\"%s\" data-whole=\"%" PRIu64 "\" "
		"data-margin=\"%u\" data-pad=\"%u\" data-top=\"%u\" data-row=\"%u\"%s%s>\n",
		p->o->unit == TREE_NS ? "ns" : "samples", p->whole, MARGIN, LABEL_PAD,
		HEADER, p->o->row, p->o->icicle ? " data-icicle=\"1\"" : "",
		p->o->percent ? " data-percent=\"1\"" : "");
	for (uint32_t i = 0; i < p->nr_boxes; i++)
		put_box(out, p, &p->boxes[i]);
	fputs("</g>\n", out);
	put_foot(out, p, height);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_js);
}

/* The smallest weight that is as wide as it must be */
static uint64_t least_drawn(const struct flame_options *o, uint64_t whole)
{
	uint64_t none = 0, some = whole;

	while (none < some) {
		uint64_t middle = none + (some - none) / 2;

		if (scale(middle, room_of(o), whole) < o->min_width)
			none = middle + 1;
		else
			some = middle;
	}
	return some;
}

int flame_prune(struct tree *t, struct flame_options *o)
{
	struct weight sum = tree_sum(t);
	uint64_t whole = tree_weight(&sum, o->unit);

	return tree_prune(t, o->unit, least_drawn(o, whole), &o->pruned);
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

	p.boxes = malloc(t->nr_nodes * sizeof(*p.boxes));
	if (!p.boxes)
		return -ENOMEM;
	lay_out(&p);
	put_picture(out, &p);
	result->drawn = p.nr_boxes;
	result->too_narrow = p.too_narrow;
	free(p.boxes);
	return 0;
}
