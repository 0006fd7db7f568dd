/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_parts.h - parts that all pictures of frames share: title, legend, labels, foot
 */
#ifndef KFLAME_VIEWS_FLAME_PARTS_H
#define KFLAME_VIEWS_FLAME_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "views/flame.h"
#include "views/flame_budget.h"

/* Pixels; but letter widths are in 1/100 px, for a 12 px fixed-width font */
#define FLAME_MARGIN	16u
#define FLAME_HEADER	88u
#define FLAME_FOOTER	34u
#define FLAME_PAD	4u

/** flame_room() - Return: width available for frames, in 1/100 pixel */
uint64_t flame_room(const struct flame_options *o);

/** flame_put_px() - writes an attribute; the value is in 1/100 pixel */
void flame_put_px(FILE *out, const char *name, uint64_t px);

/** flame_put_number() - writes an attribute with a whole number */
void flame_put_number(FILE *out, const char *name, uint64_t n);

/** flame_class() - Return: the CSS class of a frame's group */
const char *flame_class(enum look look);

/** flame_put_look() - writes the kind of a frame in words, and its file */
void flame_put_look(FILE *out, const struct frame *f);

/**
 * flame_put_rect() - writes the rectangle of a frame, and as much of its name as fits
 * @share:	text behind the name, if both fit; NULL for none
 * @x, @w:	1/100 pixel, from the left edge of all frames
 * @y:		pixels
 */
void flame_put_rect(FILE *out, const struct flame_options *o, uint32_t color, const char *name,
		    const char *share, uint64_t x, uint64_t w, uint32_t y);

/**
 * struct flame_key - the contents of a legend
 * @has:	by enum look: there are frames of this kind
 * @weight:	of the stacks that end in this kind, or with this entry of flame_paint.legend; all 0: not known
 */
struct flame_key {
	bool has[LOOK_NR];
	uint64_t weight[LOOK_NR];
};

/** flame_put_header() - writes everything from the first byte to the legend */
void flame_put_header(FILE *out, const struct flame_options *o, const struct flame_key *key,
		      unsigned int height);

/** flame_put_foot() - writes how many frames are too narrow to draw */
void flame_put_foot(FILE *out, const struct flame_budget *b, uint64_t too_narrow, unsigned int height);

/** flame_put_end() - writes the script and the end of the file */
void flame_put_end(FILE *out);

#endif
