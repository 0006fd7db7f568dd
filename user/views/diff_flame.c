// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_flame.c - compares two profiles as a flame graph
 *
 * Red frames grew and blue frames shrank: any kind of colour vision distinguishes the two.  The strength of
 * the colour shows how much a frame changed relative to itself.  Grey frames may have changed by chance.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "stacks/tree_stacks.h"
#include "views/diff_flame.h"
#include "views/diff_words.h"
#include "views/significance.h"

#define SAME	0xe4e4e0u
#define GREW	0xf07f4fu
#define SHRANK	0x6aa6e8u

/* The vanished paths so far, and their total width */
struct building {
	struct diff_flame *f;
	struct weight so_far;
	struct weight drawn;
};

/* Return: the width from *@drawn to the end of @sum; rounded in a way that all widths add up */
static uint64_t next_width(const struct diff *d, uint64_t sum, uint64_t *drawn,
			   enum tree_unit unit)
{
	uint64_t end = sum, width;

	if (!d->o.raw)
		end = scale(sum, tree_weight(diff_whole(d, DIFF_OTHER), unit),
			    tree_weight(diff_whole(d, DIFF_BASE), unit));
	width = end - *drawn;
	*drawn = end;
	return width;
}

static int add_vanished(struct building *b, const struct frame *frames, size_t nr,
			const struct weight *w)
{
	struct weight width;
	int err;

	b->so_far.samples += w->samples;
	b->so_far.ns += w->ns;
	width.samples = next_width(b->f->d, b->so_far.samples, &b->drawn.samples, TREE_SAMPLES);
	width.ns = next_width(b->f->d, b->so_far.ns, &b->drawn.ns, TREE_NS);
	err = tree_add(b->f->width, frames, nr, width.samples, width.ns);
	return err ? err : tree_add(b->f->base, frames, nr, w->samples, w->ns);
}

/* Add a path of either side at its place, or below the note if it vanished */
static int add_path(struct building *b, uint32_t node, struct frame *frames)
{
	const struct diff_tree *t = &b->f->d->paths;
	const struct weight *base = &t->side[DIFF_BASE]->nodes[node].self;
	const struct weight *other = &t->side[DIFF_OTHER]->nodes[node].self;
	size_t nr = tree_stack(t->side[DIFF_BASE], node, frames + 1);
	int err = tree_add(b->f->width, frames + 1, nr, other->samples, other->ns);

	if (!err)
		err = tree_add(b->f->base, frames + 1, nr, base->samples, base->ns);
	if (!err && tree_weight(base, b->f->d->o.unit) &&
	    !diff_tree_total(t, DIFF_OTHER, node, b->f->d->o.unit))
		err = add_vanished(b, frames, nr + 1, base);
	return err;
}

static int add_paths(struct diff_flame *f)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 2, sizeof(*frames));
	const struct tree *t = f->d->paths.side[DIFF_BASE];
	struct building b = { .f = f };
	int err = frames ? 0 : -ENOMEM;

	if (frames)
		frames[0] = (struct frame){ .name = f->note, .kind = FRAME_NOTE };
	for (uint32_t i = 1; i < t->nr_nodes && !err; i++)
		err = add_path(&b, i, frames);
	free(frames);
	return err;
}

static uint32_t find_tower(const struct diff_flame *f)
{
	for (uint32_t i = 1; i < f->width->nr_nodes; i++)
		if (f->width->nodes[i].depth == 1 &&
		    frame_is_note(&f->width->frames[f->width->nodes[i].frame], f->note))
			return i;
	return TREE_NONE;
}

/* ------------------------------------------------------------------ painting */

static bool in_tower(const struct diff_flame *f, uint32_t node)
{
	while (f->width->nodes[node].depth > 1)
		node = f->width->nodes[node].parent;
	return node == f->tower;
}

/* Get the weights of a drawn node on both sides */
static void weigh(const struct diff_flame *f, uint32_t node, struct weight w[2])
{
	if (node == TREE_ROOT) {
		w[DIFF_BASE] = *diff_whole(f->d, DIFF_BASE);
		w[DIFF_OTHER] = *diff_whole(f->d, DIFF_OTHER);
		return;
	}
	w[DIFF_BASE] = f->base->nodes[node].total;
	w[DIFF_OTHER] = f->width->nodes[node].total;
	if (in_tower(f, node))
		w[DIFF_OTHER] = (struct weight){ 0, 0 };
}

/* Mix a colour from @SAME to @end: @at of 255 */
static uint32_t towards(uint32_t end, uint32_t at)
{
	uint32_t rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8)
		rgb |= ((SAME >> shift & 0xff) * (255 - at) + (end >> shift & 0xff) * at) / 255 << shift;
	return rgb;
}

/* Index in the legend */
enum change { HAS_GROWN, HAS_SHRUNK, IS_SAME };

/* @strength: out: how much a node changed, of 255 */
static enum change change_of(const struct diff_flame *f, uint32_t node, uint32_t *strength)
{
	enum tree_unit unit = f->d->o.unit;
	uint64_t base, other, change;
	struct weight w[2];

	*strength = 0;
	weigh(f, node, w);
	if (!f->d->o.counted &&
	    diff_p(f->d, w[DIFF_BASE].samples, w[DIFF_OTHER].samples) > SIGNIFICANCE_LEVEL)
		return IS_SAME;
	base = tree_weight(&w[DIFF_BASE], unit);
	other = tree_weight(&w[DIFF_OTHER], unit);
	if (!f->d->o.raw)
		base = scale(base, tree_weight(diff_whole(f->d, DIFF_OTHER), unit),
			     tree_weight(diff_whole(f->d, DIFF_BASE), unit));
	if (base == other)
		return IS_SAME;
	change = base > other ? base - other : other - base;
	*strength = 60 + (uint32_t)scale(change, 195, base > other ? base : other);
	return base > other ? HAS_SHRUNK : HAS_GROWN;
}

static uint32_t color(const void *ctx, uint32_t node)
{
	uint32_t strength;
	enum change change = change_of(ctx, node, &strength);

	return towards(change == HAS_GROWN ? GREW : SHRANK, strength);
}

static size_t entry(const void *ctx, uint32_t node)
{
	uint32_t strength;

	return change_of(ctx, node, &strength);
}

static void tell_side(FILE *out, const struct diff *d, enum diff_side side, const struct weight *w)
{
	const struct weight *whole = diff_whole(d, side);
	char buf[TEXT_NUMBER];

	fprintf(out, "\n%c: %s ", d->letter[side], text_count(buf, w->samples));
	if (d->o.counted)
		text_put_xml(out, d->o.counted, SIZE_MAX);
	else
		fputs(w->samples == 1 ? "sample" : "samples", out);
	if (whole->ns)
		fprintf(out, ", %s", text_ms(buf, w->ns));
	fprintf(out, ", %s", text_percent(buf, tree_weight(w, d->o.unit),
					  tree_weight(whole, d->o.unit), 2));
}

static void tell_p(FILE *out, const struct diff *d, const struct weight w[2])
{
	char buf[DIFF_P];
	const char *text = diff_p_text(buf, diff_p(d, w[DIFF_BASE].samples, w[DIFF_OTHER].samples));

	fprintf(out, ", p %s", *text == '<' ? "below 0.0001" : text);
}

static void tell(FILE *out, const void *ctx, uint32_t node)
{
	const struct diff_flame *f = ctx;
	enum tree_unit unit = f->d->o.unit;
	char buf[TEXT_NUMBER + 1];
	struct weight w[2];

	weigh(f, node, w);
	tell_side(out, f->d, DIFF_BASE, &w[DIFF_BASE]);
	tell_side(out, f->d, DIFF_OTHER, &w[DIFF_OTHER]);
	if (node != TREE_ROOT || f->d->o.raw) {
		fprintf(out, "\nchange %s", diff_change_text(buf, f->d,
			tree_weight(&w[DIFF_BASE], unit), tree_weight(&w[DIFF_OTHER], unit)));
		if (!f->d->o.counted)
			tell_p(out, f->d, w);
	}
}

static const struct flame_legend legend[] = {
	[HAS_GROWN] = { GREW, "grew" },
	[HAS_SHRUNK] = { SHRANK, "shrank" },
	[IS_SAME] = { SAME, "as before, or no more than chance (p 0.05)" },
	{ 0, NULL },
};

static const struct flame_legend untested[] = {
	[HAS_GROWN] = { GREW, "grew" }, [HAS_SHRUNK] = { SHRANK, "shrank" }, [IS_SAME] = { SAME, "as before" },
	{ 0, NULL },
};

/* ---------------------------------------------------------------------- interface */

int diff_flame_make(struct diff_flame *f, const struct diff *d)
{
	int err = -ENOMEM;

	*f = (struct diff_flame){
		.d = d, .width = tree_create(), .base = tree_create(), .tower = TREE_NONE,
		.paint = { .color = color, .tell = tell, .entry = entry, .ctx = f,
			   .legend = d->o.counted ? untested : legend },
	};
	snprintf(f->note, sizeof(f->note), "[vanished: in %c only]", d->letter[DIFF_BASE]);
	if (f->width && f->base)
		err = add_paths(f);
	if (!err)
		err = tree_finish(f->width);
	if (!err)
		err = tree_finish(f->base);
	if (err)
		diff_flame_exit(f);
	else
		f->tower = find_tower(f);
	return err;
}

void diff_flame_exit(struct diff_flame *f)
{
	tree_destroy(f->width);
	tree_destroy(f->base);
	f->width = NULL;
	f->base = NULL;
}

struct weight diff_flame_vanished(const struct diff_flame *f)
{
	if (f->tower == TREE_NONE)
		return (struct weight){ 0, 0 };
	return f->base->nodes[f->tower].total;
}
