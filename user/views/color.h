/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * color.h - the colour of a frame: its kind gives the hue, its name the shade
 *
 * Hues differ in lightness, too, so that they look different with any kind of colour vision; a test checks
 * this. All colours are light enough for dark letters, also on dark paper:
 * - light orange: user code; pale yellow: code inlined into it
 * - darker green: code of just-in-time compilers; light green: functions of interpreted programs
 * - darker blue: the kernel; reddish purple: interrupts
 * - red: missing frames; greys: notes that are no function
 *
 * Pictures of waits have code in blues instead, as users of off-CPU flame graphs expect, and waits for a CPU
 * stand out in orange.
 */
#ifndef KFLAME_VIEWS_COLOR_H
#define KFLAME_VIEWS_COLOR_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/stacks.h"

/** enum look - kinds of frames that look different */
enum look {
	LOOK_USER,
	LOOK_INLINED,
	LOOK_JIT,
	LOOK_SCRIPT,		/* a function of an interpreted program */
	LOOK_KERNEL,
	LOOK_INTERRUPT,
	LOOK_READY,		/* a note that a thread could run, and waited for a CPU */
	LOOK_LOST,		/* a note that frames or time are missing */
	LOOK_GROUP,
	LOOK_THREAD,
	LOOK_NOTE,		/* any other note */
	LOOK_NR
};

/** enum palette - the meaning of colours */
enum palette {
	PALETTE_LOOK,		/* see enum look */
	PALETTE_FILE,		/* one colour for each file */
	PALETTE_HOT,		/* no meaning: warm colours, by name, as in flamegraph.pl */
	PALETTE_GREY,		/* no meaning: for print, or so that matches stand out */
	PALETTE_WAIT,		/* see enum look, for pictures of waits */
};

/** look_of() - Return: the kind of @f for its colour */
enum look look_of(const struct frame *f);

/** color_of() - Return: 0xRRGGBB; the same for equal kind, name and file */
uint32_t color_of(const struct frame *f, enum palette by);

/** color_of_look() - Return: the middle shade of a kind, for legends; @by: PALETTE_LOOK or PALETTE_WAIT */
uint32_t color_of_look(enum look look, enum palette by);

#endif
