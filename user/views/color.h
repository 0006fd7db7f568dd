/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * color.h - the colour of a frame: how it looks gives the family, its name the shade
 *
 * Families differ in lightness as well as in hue, so that they look different with any
 * kind of colour vision (a test holds them to that): light orange for user code, pale yellow for
 * what was inlined into it, darker green for what was compiled just in time, darker blue for
 * the kernel, reddish purple for interrupts, red where frames are missing, greys for what is
 * no function.  All are light enough for dark letters, also on dark paper.
 */
#ifndef KFLAME_VIEWS_COLOR_H
#define KFLAME_VIEWS_COLOR_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/stacks.h"

/** enum look - in what frames look different */
enum look {
	LOOK_USER,
	LOOK_INLINED,
	LOOK_JIT,
	LOOK_KERNEL,
	LOOK_INTERRUPT,
	LOOK_LOST,		/* a note that frames, or time, could not be seen */
	LOOK_GROUP,
	LOOK_THREAD,
	LOOK_NOTE,		/* any other note */
	LOOK_NR
};

/** enum palette - what colours mean */
enum palette {
	PALETTE_LOOK,		/* see enum look */
	PALETTE_FILE,		/* one colour a file */
	PALETTE_HOT,		/* nothing: warm ones, by name, as flamegraph.pl has them */
	PALETTE_GREY,		/* nothing: for print, and for matches to stand out */
};

/** look_of() - Return: what @f looks like */
enum look look_of(const struct frame *f);

/** color_of() - Return: 0xRRGGBB, always the same for the same kind, name and file */
uint32_t color_of(const struct frame *f, enum palette by);

/** color_of_look() - Return: the middle of a family, for legends */
uint32_t color_of_look(enum look look);

#endif
