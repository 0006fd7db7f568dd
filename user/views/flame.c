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

#include "brief.h"
#include "color.h"
#include "flame.h"
#include "flame_assets.h"
#include "text.h"

/* Pixels; letters are those of a 12 px fixed-width font, in 1/100 px */
#define MARGIN		16u
#define HEADER		88u
#define FOOTER		34u
#define ROW		18u
#define BOX		17u
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
	bool has_kind[FRAME_ROOT + 1];
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
	p->has_kind[frame_of(p, node)->kind] = true;
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

static const char *kind_class(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_ROOT:
		return "r";
	case FRAME_COMM:
		return "t";
	case FRAME_USER:
		return "u";
	case FRAME_INLINED:
		return "i";
	case FRAME_KERNEL:
		return "k";
	case FRAME_SOFTIRQ:
		return "s";
	case FRAME_NOTE:
		break;
	}
	return "n";
}

static void put_kind(FILE *out, const struct frame *f, uint32_t node)
{
	static const char *const words[] = {
		[FRAME_COMM] = "thread",
		[FRAME_USER] = "user",
		[FRAME_INLINED] = "inlined",
		[FRAME_KERNEL] = "kernel",
		[FRAME_SOFTIRQ] = "kernel, in a softirq",
		[FRAME_NOTE] = "note",
		[FRAME_ROOT] = "group",
	};

	fputs(node == TREE_ROOT ? "everything drawn" : words[f->kind], out);
	if (f->file) {
		fputs(", ", out);
		text_put_xml(out, f->file, SIZE_MAX);
	}
}

static void put_tooltip(FILE *out, const struct picture *p, uint32_t node)
{
	const struct tree_node *n = &p->t->nodes[node];
	uint64_t w = weight_of(p, node);
	char buf[TEXT_NUMBER];

	fputs("<title>", out);
	text_put_xml(out, frame_of(p, node)->name, SIZE_MAX);
	putc('\n', out);
	put_kind(out, frame_of(p, node), node);
	fprintf(out, "\n%s sample%s", text_count(buf, n->total.samples),
		n->total.samples == 1 ? "" : "s");
	if (p->has_ns)
		fprintf(out, ", %s", text_ms(buf, n->total.ns));
	fprintf(out, "\n%s of all", text_percent(buf, w, p->whole, 2));
	if (node != TREE_ROOT)
		fprintf(out, ", %s of its caller",
			text_percent(buf, w, weight_of(p, n->parent), 2));
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
static void put_label(FILE *out, const char *name, uint64_t x, uint64_t w, uint32_t y)
{
	size_t room = w > 2 * LABEL_PAD * 100 ? (w - 2 * LABEL_PAD * 100) / LETTER : 0;
	bool fits = text_width(name) <= room;
	char *brief;

	if (room < 3 && !fits)
		return;
	brief = fits ? NULL : brief_name(name);
	fputs("<text", out);
	put_px(out, "x", x + LABEL_PAD * 100);
	fprintf(out, " y=\"%u\">", y + 13);
	put_cut(out, brief ? brief : name, room);
	fputs("</text>", out);
	free(brief);
}

static void put_box(FILE *out, const struct picture *p, const struct box *b)
{
	const struct frame *f = frame_of(p, b->node);
	uint64_t units = weight_of(p, b->node);
	uint64_t x = to_px(p, b->x);
	uint64_t w = to_px(p, b->x + units) - x;
	uint32_t y = HEADER + (p->rows - 1 - p->t->nodes[b->node].depth) * ROW;

	x += MARGIN * 100;
	/* A hair of space between neighbours, where there is room for it */
	if (w > 300)
		w -= 50;
	fprintf(out, "<g class=\"%s\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\">",
		kind_class(f->kind), b->x, units);
	put_tooltip(out, p, b->node);
	fputs("<rect", out);
	put_px(out, "x", x);
	fprintf(out, " y=\"%u\"", y);
	put_px(out, "width", w);
	fprintf(out, " height=\"%u\" fill=\"#%06x\"/>", BOX, color_of(f));
	put_label(out, f->name, x, w, y);
	fputs("</g>\n", out);
}

static void put_legend(FILE *out, const struct picture *p)
{
	static const struct {
		enum frame_kind kind;
		const char *text;
	} entries[] = {
		{ FRAME_USER, "user" },
		{ FRAME_INLINED, "inlined" },
		{ FRAME_KERNEL, "kernel" },
		{ FRAME_SOFTIRQ, "softirq" },
		{ FRAME_ROOT, "group" },
		{ FRAME_COMM, "thread" },
		{ FRAME_NOTE, "not a function" },
	};
	unsigned int x = MARGIN;

	fputs("<g id=\"legend\">\n", out);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (!p->has_kind[entries[i].kind])
			continue;
		fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"62\" width=\"12\" height=\"12\" "
			"fill=\"#%06x\"/><text x=\"%u\" y=\"72\">%s</text>\n",
			kind_class(entries[i].kind), x, color_of_kind(entries[i].kind),
			x + 17, entries[i].text);
		x += 17 + (unsigned int)text_width(entries[i].text) * 7 + 16;
	}
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
	unsigned int height = HEADER + p->rows * ROW + FOOTER;

	put_header(out, p, height);
	fprintf(out, "<g id=\"frames\" data-unit=\"%s\" data-whole=\"%" PRIu64 "\" "
		"data-margin=\"%u\" data-pad=\"%u\">\n",
		p->o->unit == TREE_NS ? "ns" : "samples", p->whole, MARGIN, LABEL_PAD);
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
