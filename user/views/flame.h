/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h - a call tree as an interactive SVG flame graph
 *
 * The file needs no other file. Without scripts it is a still picture. With scripts it has
 * zoom, search and tooltips.  The same tree and options always produce the same bytes.
 */
#ifndef KFLAME_VIEWS_FLAME_H
#define KFLAME_VIEWS_FLAME_H

#include <stdio.h>

#include "stacks/tree.h"
#include "views/color.h"

#define FLAME_MIN_WIDTH		320u	/* limits of a picture's width, in pixels */
#define FLAME_MAX_WIDTH		100000u
#define FLAME_FRAMES		5000u	/* limit of frames: a browser opens, zooms and searches so many at once */
#define FLAME_ROW		18u	/* default height of a frame, in pixels, and its limits */
#define FLAME_MIN_ROW		14u
#define FLAME_MAX_ROW		100u

/** struct flame_legend - a colour, 0xRRGGBB, and its meaning */
struct flame_legend {
	uint32_t color;
	const char *text;
};

/**
 * struct flame_paint - how to show something other than the kind of frames
 * @color:	returns the colour of a node, 0xRRGGBB
 * @tell:	writes further tooltip lines of a node, after name and kind: each begins with a newline
 *		and is escaped for XML
 * @entry:	returns the index in @legend of a node's colour
 * @legend:	the colours; ends with a NULL text
 * @ctx:	passed to all functions
 */
struct flame_paint {
	uint32_t (*color)(const void *ctx, uint32_t node);
	void (*tell)(FILE *out, const void *ctx, uint32_t node);
	size_t (*entry)(const void *ctx, uint32_t node);
	const struct flame_legend *legend;
	const void *ctx;
};

/**
 * struct flame_options - how to draw
 * @title:	first line
 * @subtitle:	second line: what is shown and what is left out
 * @unit:	unit of widths
 * @width:	pixels, FLAME_MIN_WIDTH to FLAME_MAX_WIDTH
 * @min_width:	narrower frames are not drawn; 1/100 pixel
 * @frames:	limit of frames: if there are more, the widest are drawn; 0: no limit
 * @row:	height of a frame, pixels, FLAME_MIN_ROW to FLAME_MAX_ROW
 * @colors:	meaning of colours
 * @icicle:	callees below their callers
 * @percent:	labels have the share of all, if there is room
 * @count_name:	what samples are called, in the plural; NULL for "samples"
 * @only_time:	tooltips have times and no samples, because samples are of different lengths
 * @pruned:	how many too narrow frames flame_prune() removed from the tree
 * @by_look:	weight of the stacks whose innermost frame is of each kind, for the legend; all 0: not known
 * @paint:	NULL: colours show the kinds of frames
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
	bool only_time;
	uint64_t pruned;
	uint64_t by_look[LOOK_NR];
	const struct flame_paint *paint;
};

/**
 * struct flame_result - statistics of the picture
 * @drawn:	number of frames, including the root
 * @too_narrow:	number of frames left out; the foot of the picture has it, too
 */
struct flame_result {
	uint64_t drawn;
	uint64_t too_narrow;
};

/**
 * flame_weigh() - sets @o->by_look for @t, before flame_prune(), tree_reverse() and tree_finish()
 *
 * Return: 0 or -ENOMEM.
 */
int flame_weigh(const struct tree *t, struct flame_options *o);

/**
 * flame_prune() - removes nodes that will be too narrow from @t, which is not finished
 *
 * Call it before tree_finish() and flame_write(): a smaller tree is faster to sort.
 * @o->pruned receives the number of removed nodes.
 *
 * Return: 0 or -ENOMEM.
 */
int flame_prune(struct tree *t, struct flame_options *o);

/**
 * flame_write() - draws @t, which must be finished and have a weight
 *
 * The caller checks @out for errors.
 *
 * Return: 0 or -ENOMEM.
 */
int flame_write(FILE *out, const struct tree *t, const struct flame_options *o,
		struct flame_result *result);

#endif
