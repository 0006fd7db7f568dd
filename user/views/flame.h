/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h - a call tree as an interactive SVG flame graph
 *
 * One file that needs nothing else: a still picture without scripts, with them
 * zoom, search and tooltips.  The same tree and options give the same bytes.
 */
#ifndef KFLAME_VIEWS_FLAME_H
#define KFLAME_VIEWS_FLAME_H

#include <stdio.h>

#include "stacks/tree.h"
#include "views/color.h"

#define FLAME_MIN_WIDTH		320u	/* pixels a picture can have */
#define FLAME_MAX_WIDTH		100000u
#define FLAME_FRAMES		20000u	/* frames: a browser opens so many in two seconds */
#define FLAME_ROW		18u	/* of a frame, pixels; and what it can be */
#define FLAME_MIN_ROW		14u
#define FLAME_MAX_ROW		100u

/** struct flame_legend - a colour, 0xRRGGBB, and what it says */
struct flame_legend {
	uint32_t color;
	const char *text;
};

/**
 * struct flame_paint - what a picture shows of frames other than their kind
 * @color:	of a node, 0xRRGGBB
 * @tell:	writes the lines of a node's tooltip after name and kind, each with a newline before
 *		it, escaped for XML
 * @legend:	the colours; ends with a NULL text
 * @ctx:	for either
 */
struct flame_paint {
	uint32_t (*color)(const void *ctx, uint32_t node);
	void (*tell)(FILE *out, const void *ctx, uint32_t node);
	const struct flame_legend *legend;
	const void *ctx;
};

/**
 * struct flame_options - how to draw
 * @title:	first line
 * @subtitle:	second line: what is shown and what is left out
 * @unit:	what widths are
 * @width:	pixels, FLAME_MIN_WIDTH to FLAME_MAX_WIDTH
 * @min_width:	frames narrower than this are not drawn; 1/100 pixel
 * @frames:	most frames that are drawn: where there are more, @min_width counts as more; 0: any
 * @row:	height of a frame, pixels, FLAME_MIN_ROW to FLAME_MAX_ROW
 * @colors:	what colours mean
 * @icicle:	callees below their callers
 * @percent:	labels tell the share of all, where there is room
 * @count_name:	what samples are called, in the plural; NULL for "samples"
 * @pruned:	so many that are too narrow are not even in the tree
 * @paint:	NULL: colours are of kinds
 */
struct flame_options {
	const char *title;
	const char *subtitle;
	enum tree_unit unit;
	unsigned int width;
	unsigned int min_width;
	unsigned int frames;
	unsigned int row;
	enum palette colors;
	bool icicle;
	bool percent;
	const char *count_name;
	uint64_t pruned;
	const struct flame_paint *paint;
};

/**
 * struct flame_result - what was drawn
 * @drawn:	frames, the root counted in
 * @too_narrow:	frames left out, shown at the foot of the picture
 */
struct flame_result {
	uint64_t drawn;
	uint64_t too_narrow;
};

/**
 * flame_prune() - takes out of @t, which is not finished, what will be too narrow
 *
 * To be done before flame_write() where a tree is large: it needs no order, then.
 * What went is counted in @o->pruned.
 *
 * Return: 0 or -ENOMEM.
 */
int flame_prune(struct tree *t, struct flame_options *o);

/**
 * flame_write() - draws @t, which is finished and weighs something
 *
 * Errors of @out are left for the caller to find.
 *
 * Return: 0 or -ENOMEM.
 */
int flame_write(FILE *out, const struct tree *t, const struct flame_options *o,
		struct flame_result *result);

#endif
