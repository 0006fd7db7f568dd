/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browser.h - the state of an interactive view of a call tree: its rows, and its reaction to keys
 *
 * The browser is independent of terminals. Its inputs are keys, its outputs are rows, and browser_draw() puts
 * the rows on any screen. A newer tree may replace the tree while the view is open.
 */
#ifndef KFLAME_BROWSE_BROWSER_H
#define KFLAME_BROWSE_BROWSER_H

#include "base/hash.h"
#include "browse/screen.h"
#include "views/annotate_rows.h"
#include "views/functions.h"

#define BROWSER_HEAD	2u	/* rows above the list: title and headings */
#define BROWSER_FOOT	1u	/* rows below the list: messages */
#define BROWSER_BACK	16	/* limit of views to go back to */
#define BROWSER_WORD	64	/* limit of a search word, in bytes */

/** enum browser_mode - what the rows show */
enum browser_mode {
	BROWSE_FUNCTIONS,
	BROWSE_TREE,
	BROWSE_CALLERS,
	BROWSE_CALLEES,
	BROWSE_ANNOTATION,
	BROWSE_HELP,
};

/**
 * struct browser_row - one row
 * @key:	identifies the same row in a newer tree
 * @level:	indentation
 * @mark:	'+': can be opened; '-': is open; ' ': has nothing below it
 * @weighted:	the row has weights
 * @frame:	the frame of the row; .name NULL: the row is text
 * @text:	NULL: the row is a frame
 */
struct browser_row {
	uint64_t key;
	uint32_t level;
	char mark;
	bool weighted;
	struct weight self;
	struct weight total;
	struct frame frame;
	char *text;
};

/**
 * struct browser_view - a position in the data
 * @function:	of callers, callees or annotation; NULL for other modes
 * @file:	the file of @function; NULL: none
 * @cursor:	row of the cursor
 * @top:	first visible row
 */
struct browser_view {
	enum browser_mode mode;
	char *function;
	char *file;
	size_t cursor;
	size_t top;
};

/**
 * struct browser_source - the data that is shown
 * @t:		a finished tree, owned by the caller
 * @title:	owned by the caller; the first line has it behind the name of the view
 * @annotate:	makes an annotation; NULL: not available.  Return: as annotate()
 * @has_waits:	the caller can also show waits, and reads struct browser.waits after each key
 */
struct browser_source {
	const struct tree *t;
	const char *title;
	int (*annotate)(void *ctx, const struct frame *f, struct annotation *out);
	void *ctx;
	bool has_waits;
};

/** struct browser - the state of the view; others may read it, only browser.c changes it */
struct browser {
	struct browser_source source;
	struct browser_view view;
	struct browser_view back[BROWSER_BACK];
	size_t nr_back;
	enum tree_unit unit;
	enum functions_sort sort;
	struct browser_row *rows;
	size_t nr, cap;
	struct tree *wing;		/* tree of the callers or callees */
	struct idmap opened;		/* keys of rows that the user opened (1) or closed (0) */
	char word[BROWSER_WORD];
	bool typing;			/* the user is typing a search word */
	bool paused;			/* the user wants no newer trees */
	bool waits;			/* the user wants waits, not CPU time */
	char message[160];
	unsigned int height;		/* number of rows in the list */
};

/** browser_init() - starts with the list of functions.  Return: 0 or -ENOMEM */
int browser_init(struct browser *b, const struct browser_source *s, enum tree_unit unit,
		 enum functions_sort sort);

/** browser_exit() - frees the contents of @b */
void browser_exit(struct browser *b);

/** browser_resize() - sets the number of rows of the screen */
void browser_resize(struct browser *b, unsigned int rows);

/** browser_renew() - shows another tree, at the same position.  Return: 0 or -ENOMEM */
int browser_renew(struct browser *b, const struct tree *t, const char *title);

/** browser_key() - handles a key.  Return: 0 to go on, 1 to end, -ENOMEM */
int browser_key(struct browser *b, int key);

/** browser_draw() - draws the whole screen */
void browser_draw(const struct browser *b, const struct screen *s);

/** browser_make_rows() - private: makes the rows of the view.  Return: 0 or a negative errno */
int browser_make_rows(struct browser *b);

/** browser_is_open() - private: Return: whether the rows below a row are shown */
bool browser_is_open(const struct browser *b, uint64_t key, bool usually);

#endif
