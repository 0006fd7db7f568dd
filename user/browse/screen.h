/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the interface that a browser draws on: rows of text, on a terminal or in a test
 */
#ifndef KFLAME_BROWSE_SCREEN_H
#define KFLAME_BROWSE_SCREEN_H

#include <stdbool.h>

/** enum screen_look - the meaning of text; the screen decides what it looks like */
enum screen_look {
	SCREEN_PLAIN,
	SCREEN_HEADING,
	SCREEN_DIM,
	SCREEN_USER,
	SCREEN_KERNEL,
	SCREEN_SOFTIRQ,
	SCREEN_WARM,
	SCREEN_HOT,
	NR_SCREEN_LOOKS,
};

/** enum screen_key - keys that are no characters; other keys are ASCII characters */
enum screen_key {
	SCREEN_UP = 0x100,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_ENTER,
	SCREEN_BACK,		/* Backspace */
	SCREEN_ESCAPE,
	SCREEN_RESIZED,
	SCREEN_NO_KEY,
};

/**
 * struct screen - where to draw
 * @rows:	height
 * @cols:	width in columns
 * @put:	writes text from @col on; the text fits, and is UTF-8 without control characters. @chosen: the
 *		text is in the row of the cursor
 */
struct screen {
	unsigned int rows;
	unsigned int cols;
	void *ctx;
	void (*put)(void *ctx, unsigned int row, unsigned int col, const char *text,
		    enum screen_look look, bool chosen);
};

#endif
