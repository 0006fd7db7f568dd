/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_parts.h - what pictures of frames have in common: title, legend, labels, foot
 */
#ifndef KFLAME_VIEWS_FLAME_PARTS_H
#define KFLAME_VIEWS_FLAME_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "views/flame.h"

/* Pixels; letters are those of a 12 px fixed-width font, in 1/100 px */
#define FLAME_MARGIN	16u
#define FLAME_HEADER	88u
#define FLAME_FOOTER	34u
#define FLAME_PAD	4u

/** flame_room() - Return: 1/100 pixels that there are for frames */
uint64_t flame_room(const struct flame_options *o);

/** flame_put_px() - an attribute, from 1/100 pixel */
void flame_put_px(FILE *out, const char *name, uint64_t px);

/** flame_put_number() - an attribute */
void flame_put_number(FILE *out, const char *name, uint64_t n);

/** flame_class() - Return: the class of a frame's group */
const char *flame_class(enum look look);

/** flame_put_look() - in words, what a frame is, and its file */
void flame_put_look(FILE *out, const struct frame *f);

/**
 * flame_put_rect() - a frame's rectangle and as much of its name as fits
 * @share:	after the name, where there is room for both; NULL for none
 * @x, @w:	1/100 pixel, from the left edge of all frames
 * @y:		pixels
 */
void flame_put_rect(FILE *out, const struct flame_options *o, uint32_t color, const char *name,
		    const char *share, uint64_t x, uint64_t w, uint32_t y);

/** flame_put_header() - from the first byte of the file to the legend; @has_look: by enum look */
void flame_put_header(FILE *out, const struct flame_options *o, const bool *has_look,
		      unsigned int height);

/** flame_put_foot() - how much is too narrow to be drawn */
void flame_put_foot(FILE *out, const struct flame_options *o, uint64_t too_narrow,
		    unsigned int height);

/** flame_put_end() - the script, and the end of the file */
void flame_put_end(FILE *out);

/**
 * flame_fit() - how wide a frame must be, so that no more than @o->frames are drawn
 * @of_width:	how many frames have each width, in 1/100 pixel, up to flame_room()
 *
 * Return: 1/100 pixel, @o->min_width or more.
 */
unsigned int flame_fit(const struct flame_options *o, const uint32_t *of_width);

#endif
