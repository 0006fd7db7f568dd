/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browser.h - a call tree to walk through: which rows there are, and what keys do
 *
 * Knows nothing of terminals: keys go in, rows come out, and browser_draw() puts them on whatever
 * screen there is.  The tree may be replaced by a newer one while somebody looks.
 */
#ifndef KFLAME_BROWSE_BROWSER_H
#define KFLAME_BROWSE_BROWSER_H

#include "base/hash.h"
#include "browse/screen.h"
#include "views/annotate_rows.h"
#include "views/functions.h"

#define BROWSER_HEAD	2u	/* rows above the list: title and headings */
#define BROWSER_FOOT	1u	/* below it: messages */
#define BROWSER_BACK	16	/* views to go back to */
#define BROWSER_WORD	64	/* bytes of what is searched for */

/** enum browser_mode - what the rows are */
enum browser_mode {
	BROWSE_FUNCTIONS,
	BROWSE_TREE,
	BROWSE_CALLERS,
	BROWSE_CALLEES,
	BROWSE_ANNOTATION,
	BROWSE_HELP,
};

/**
 * struct browser_row - one of them
 * @key:	the same for the same row in a newer tree
 * @level:	how far it is indented
 * @mark:	'+': can be opened, '-': is open, ' ': has nothing below it
 * @weighted:	has weights
 * @frame:	what it is; .name NULL: it is text
 * @text:	NULL: it is a frame
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
 * struct browser_view - where one is
 * @function:	of callers, callees, annotation; NULL for others
 * @file:	its file; NULL: none
 * @cursor:	row
 * @top:	first row that is shown
 */
struct browser_view {
	enum browser_mode mode;
	char *function;
	char *file;
	size_t cursor;
	size_t top;
};

/**
 * struct browser_source - what is looked at
 * @t:		finished; the caller's
 * @title:	the caller's; what the first line says, behind what is shown
 * @annotate:	makes an annotation; NULL: there is none to be had.  Return: as annotate()
 */
struct browser_source {
	const struct tree *t;
	const char *title;
	int (*annotate)(void *ctx, const struct frame *f, struct annotation *out);
	void *ctx;
};

/** struct browser - all of it; read it, let browser.c change it */
struct browser {
	struct browser_source source;
	struct browser_view view;
	struct browser_view back[BROWSER_BACK];
	size_t nr_back;
	enum tree_unit unit;
	enum functions_sort sort;
	struct browser_row *rows;
	size_t nr, cap;
	struct tree *wing;		/* of callers and callees */
	struct idmap opened;		/* keys of rows that somebody opened (1), or closed (0) */
	char word[BROWSER_WORD];
	bool typing;			/* a word to search for is being typed */
	bool paused;			/* newer trees are not wanted */
	char message[160];
	unsigned int height;		/* rows of the list */
};

/** browser_init() - begins with the functions.  Return: 0 or -ENOMEM */
int browser_init(struct browser *b, const struct browser_source *s, enum tree_unit unit,
		 enum functions_sort sort);

/** browser_exit() - frees what is in @b */
void browser_exit(struct browser *b);

/** browser_resize() - the screen has so many rows */
void browser_resize(struct browser *b, unsigned int rows);

/** browser_renew() - looks at another tree, from the same place.  Return: 0 or -ENOMEM */
int browser_renew(struct browser *b, const struct tree *t, const char *title);

/** browser_key() - Return: 0 to go on, 1 to end, -ENOMEM */
int browser_key(struct browser *b, int key);

/** browser_draw() - all of the screen */
void browser_draw(const struct browser *b, const struct screen *s);

/** browser_make_rows() - private: the rows of the view.  Return: 0 or a negative errno */
int browser_make_rows(struct browser *b);

/** browser_is_open() - private: whether what is below a row is shown */
bool browser_is_open(const struct browser *b, uint64_t key, bool usually);

#endif
