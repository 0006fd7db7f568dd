// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browser.c - reacts to keys
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/browser.h"

static void say(struct browser *b, const char *how, ...) __attribute__((format(printf, 2, 3)));

static void say(struct browser *b, const char *how, ...)
{
	va_list args;

	va_start(args, how);
	vsnprintf(b->message, sizeof(b->message), how, args);
	va_end(args);
}

/* Keep the cursor within the rows, and on the screen */
static void settle(struct browser *b)
{
	struct browser_view *v = &b->view;

	if (v->cursor >= b->nr)
		v->cursor = b->nr ? b->nr - 1 : 0;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (b->height && v->cursor - v->top >= b->height)
		v->top = v->cursor - b->height + 1;
	/* Show no empty rows at the end while other rows are above */
	if (b->nr <= b->height)
		v->top = 0;
	else if (v->top > b->nr - b->height)
		v->top = b->nr - b->height;
}

static const struct browser_row *row_at(const struct browser *b)
{
	return b->view.cursor < b->nr ? &b->rows[b->view.cursor] : NULL;
}

/* Make the rows again, and stay on the row with the same key */
static int remake(struct browser *b)
{
	const struct browser_row *row = row_at(b);
	uint64_t key = row ? row->key : 0;
	/* With the cursor on the first row, stay on the first row */
	bool follow = row && b->view.cursor;
	int err = browser_make_rows(b);

	for (size_t i = 0; !err && follow && i < b->nr; i++)
		if (b->rows[i].key == key) {
			b->view.cursor = i;
			break;
		}
	settle(b);
	return err;
}

int browser_init(struct browser *b, const struct browser_source *s, enum tree_unit unit,
		 enum functions_sort sort)
{
	*b = (struct browser){ .source = *s, .unit = unit, .sort = sort, .height = 1 };
	say(b, s->has_waits ? "h: help  o: waits, or CPU time  q: quit" : "h: help  q: quit");
	return browser_make_rows(b);
}

static void free_view(struct browser_view *v)
{
	free(v->function);
	free(v->file);
}

void browser_exit(struct browser *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->rows[i].text);
	free(b->rows);
	while (b->nr_back)
		free_view(&b->back[--b->nr_back]);
	free_view(&b->view);
	tree_destroy(b->wing);
	idmap_exit(&b->opened);
	*b = (struct browser){ 0 };
}

void browser_resize(struct browser *b, unsigned int rows)
{
	unsigned int around = BROWSER_HEAD + BROWSER_FOOT;

	b->height = rows > around ? rows - around : 1;
	settle(b);
}

int browser_renew(struct browser *b, const struct tree *t, const char *title)
{
	b->source.t = t;
	b->source.title = title;
	/* Help and annotation do not depend on the new tree */
	return b->view.mode == BROWSE_HELP || b->view.mode == BROWSE_ANNOTATION ? 0 : remake(b);
}

/* ------------------------------------------------------------------- moving */

static void move_to(struct browser *b, size_t row)
{
	b->view.cursor = row;
	settle(b);
}

static bool move(struct browser *b, int key)
{
	size_t at = b->view.cursor, page = b->height;

	switch (key) {
	case SCREEN_UP:
	case 'k':
		move_to(b, at ? at - 1 : 0);
		return true;
	case SCREEN_DOWN:
	case 'j':
		move_to(b, at + 1);
		return true;
	case SCREEN_PAGE_UP:
	case 'b':
		move_to(b, at > page ? at - page : 0);
		return true;
	case SCREEN_PAGE_DOWN:
	case ' ':
		move_to(b, at + page);
		return true;
	case SCREEN_HOME:
	case 'g':
		move_to(b, 0);
		return true;
	case SCREEN_END:
	case 'G':
		move_to(b, b->nr);
		return true;
	}
	return false;
}

/* -------------------------------------------------------------------- views */

/* Go to another view; @function and @file are copied */
static int go(struct browser *b, enum browser_mode mode, const char *function, const char *file)
{
	struct browser_view to = { .mode = mode };

	to.function = function ? strdup(function) : NULL;
	to.file = file ? strdup(file) : NULL;
	if (!to.function != !function || !to.file != !file) {
		free_view(&to);
		return -ENOMEM;
	}
	if (b->nr_back == BROWSER_BACK) {
		free_view(&b->back[0]);
		memmove(&b->back[0], &b->back[1], sizeof(b->back) - sizeof(b->back[0]));
		b->nr_back--;
	}
	b->back[b->nr_back++] = b->view;
	b->view = to;
	return browser_make_rows(b);
}

static int go_back(struct browser *b)
{
	int err;

	if (!b->nr_back)
		return 0;
	free_view(&b->view);
	b->view = b->back[--b->nr_back];
	err = browser_make_rows(b);
	settle(b);
	return err;
}

/* Zoom into the function at the cursor, or into the function of the view */
static int zoom(struct browser *b, enum browser_mode mode)
{
	const struct browser_row *row = row_at(b);
	const char *function = row ? row->frame.name : NULL, *file = NULL;

	if (function) {
		file = row->frame.file;
	} else {
		function = b->view.function;
		file = b->view.file;
	}
	if (!function || (row && (row->frame.kind == FRAME_COMM || row->frame.kind == FRAME_ROOT) &&
			  row->frame.name)) {
		say(b, "put the cursor on a function");
		return 0;
	}
	if (mode == BROWSE_ANNOTATION && !b->source.annotate) {
		say(b, "annotation needs kflame report --tui of a profile, without --lines");
		return 0;
	}
	if (mode == b->view.mode && b->view.function && !strcmp(function, b->view.function))
		return 0;
	return go(b, mode, function, file);
}

/* ------------------------------------------------------------------ opening */

static int set_open(struct browser *b, const struct browser_row *row, bool open)
{
	return row->mark == ' ' ? 0 : idmap_set(&b->opened, row->key, open);
}

/* Move to the row of the caller */
static void go_up(struct browser *b)
{
	size_t at = b->view.cursor;
	uint32_t level = b->rows[at].level;

	while (at && b->rows[at].level >= level && level)
		at--;
	move_to(b, at);
}

static int open_row(struct browser *b, bool open)
{
	const struct browser_row *row = row_at(b);
	int err;

	if (!row)
		return 0;
	if (!open && row->mark != '-') {
		go_up(b);
		return 0;
	}
	err = set_open(b, row, open);
	return err ? err : remake(b);
}

/* Open or close everything below the row.  Opened rows may show further rows to open */
static int open_all(struct browser *b, bool open)
{
	size_t at = b->view.cursor;
	bool more = b->nr;
	int err = 0;

	for (int round = 0; !err && more && round < TREE_MAX_DEPTH; round++) {
		uint32_t level = b->rows[at].level;

		more = false;
		for (size_t i = at; !err && i < b->nr && (i == at || b->rows[i].level > level); i++)
			if (b->rows[i].mark == (open ? '+' : '-')) {
				err = set_open(b, &b->rows[i], open);
				more = true;
			}
		if (!err && more)
			err = remake(b);
		if (at >= b->nr)
			break;
	}
	return err;
}

static int enter(struct browser *b)
{
	const struct browser_row *row = row_at(b);

	if (row && row->mark != ' ')
		return open_row(b, row->mark == '+');
	if (b->view.mode == BROWSE_HELP)
		return go_back(b);
	return row && row->frame.name ? zoom(b, BROWSE_CALLEES) : 0;
}

/* ---------------------------------------------------------------- searching */

static bool has_word(const struct browser *b, size_t row)
{
	const struct browser_row *r = &b->rows[row];

	return strcasestr(r->text ? r->text : r->frame.name, b->word);
}

static void find(struct browser *b, bool onward, bool from_here)
{
	size_t at = b->view.cursor;

	if (!b->word[0] || !b->nr)
		return;
	for (size_t i = 0; i < b->nr; i++) {
		if (i || !from_here)
			at = onward ? (at + 1) % b->nr : (at + b->nr - 1) % b->nr;
		if (has_word(b, at)) {
			move_to(b, at);
			say(b, "/%s", b->word);
			return;
		}
	}
	say(b, "no row has '%s' (what is closed is not searched)", b->word);
}

static void type(struct browser *b, int key)
{
	size_t len = strlen(b->word);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE) {
		b->typing = false;
		say(b, "%s", "");
		if (key == SCREEN_ENTER)
			find(b, true, true);
		return;
	}
	if (key == SCREEN_BACK && len)
		b->word[len - 1] = 0;
	else if (key >= ' ' && key < 0x7f && len + 1 < sizeof(b->word))
		b->word[len] = (char)key;
	say(b, "/%s", b->word);
}

static void begin_typing(struct browser *b)
{
	memset(b->word, 0, sizeof(b->word));
	b->typing = true;
	say(b, "/");
}

/* --------------------------------------------------------------------- keys */

static int choose(struct browser *b, int key)
{
	switch (key) {
	case 's':
		b->sort = b->sort == SORT_SELF ? SORT_TOTAL : SORT_SELF;
		say(b, "sorted by %s", b->sort == SORT_SELF ? "self" : "total");
		break;
	case 'u':
		b->unit = b->unit == TREE_NS ? TREE_SAMPLES : TREE_NS;
		say(b, "%s", b->unit == TREE_NS ? "time" : "samples");
		break;
	case 'p':
		b->paused = !b->paused;
		say(b, "%s", b->paused ? "held still; p goes on" : "goes on");
		return 0;
	}
	return remake(b);
}

static int go_to(struct browser *b, enum browser_mode mode)
{
	return b->view.mode == mode ? 0 : go(b, mode, NULL, NULL);
}

/* Waits of all threads end in the same few functions of the scheduler. So the call tree shows more of them */
static int switch_waits(struct browser *b)
{
	if (!b->source.has_waits) {
		say(b, "waits are shown by kflame top without -U, and by report --tui --event off-cpu");
		return 0;
	}
	b->waits = !b->waits;
	b->paused = false;
	b->unit = b->waits ? TREE_NS : TREE_SAMPLES;
	say(b, "%s", b->waits ? "waits; o: CPU time" : "CPU time; o: waits");
	return go_to(b, b->waits ? BROWSE_TREE : BROWSE_FUNCTIONS);
}

int browser_key(struct browser *b, int key)
{
	if (b->typing) {
		type(b, key);
		return 0;
	}
	if (move(b, key))
		return 0;
	switch (key) {
	case 'q':
		return b->view.mode == BROWSE_HELP ? go_back(b) : 1;
	case 'f':
		return go_to(b, BROWSE_FUNCTIONS);
	case 't':
		return go_to(b, BROWSE_TREE);
	case 'h':
	case '?':
		return go_to(b, BROWSE_HELP);
	case '<':
		return zoom(b, BROWSE_CALLERS);
	case '>':
		return zoom(b, BROWSE_CALLEES);
	case 'a':
		return zoom(b, BROWSE_ANNOTATION);
	case SCREEN_ENTER:
		return enter(b);
	case SCREEN_RIGHT:
	case '+':
		return open_row(b, true);
	case SCREEN_LEFT:
	case '-':
		return b->nr ? open_row(b, false) : 0;
	case 'e':
	case 'c':
		return open_all(b, key == 'e');
	case 'o':
		return switch_waits(b);
	case '/':
		begin_typing(b);
		return 0;
	case 'n':
	case 'N':
		find(b, key == 'n', false);
		return 0;
	case 's':
	case 'u':
	case 'p':
		return choose(b, key);
	case SCREEN_BACK:
	case SCREEN_ESCAPE:
		return go_back(b);
	}
	return 0;
}
