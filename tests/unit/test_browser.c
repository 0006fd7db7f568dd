// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_browser.c - what keys do and what is shown, without a terminal
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browse/browser.h"
#include "mkprofile.h"

#define ROWS	12u
#define COLS	70u

/* A screen of letters; what is wider, or not ASCII, is a '?' */
struct paper {
	char rows[ROWS][COLS + 1];
	unsigned int chosen;
};

static void put(void *ctx, unsigned int row, unsigned int col, const char *text,
		enum screen_look look, bool chosen)
{
	struct paper *p = ctx;

	(void)look;
	assert_true(row < ROWS);
	for (; *text; text++) {
		if ((*text & 0xc0) == 0x80)
			continue;
		assert_true(col < COLS);
		p->rows[row][col++] = (char)(*text & 0x80 ? '?' : *text);
	}
	if (chosen)
		p->chosen = row;
}

static struct paper *draw(const struct browser *b)
{
	static struct paper paper;
	const struct screen s = { .rows = ROWS, .cols = COLS, .ctx = &paper, .put = put };

	memset(&paper, 0, sizeof(paper));
	browser_draw(b, &s);
	return &paper;
}

static bool shows(const struct browser *b, const char *text)
{
	const struct paper *p = draw(b);

	for (unsigned int i = 0; i < ROWS; i++)
		if (strstr(p->rows[i], text))
			return true;
	return false;
}

static void add(struct tree *t, const char *line, uint64_t samples)
{
	struct frame frames[16];
	char copy[256], *save;
	size_t nr = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, ";", &save); w; w = strtok_r(NULL, ";", &save)) {
		frames[nr] = (struct frame){ w, nr ? "prog" : NULL, nr ? FRAME_USER : FRAME_COMM };
		nr++;
	}
	assert_int_equal(tree_add(t, frames, nr, samples, samples * 1000000), 0);
}

/* @more samples in parse */
static struct tree *fill_tree(uint64_t more)
{
	struct tree *t = tree_create();

	assert_non_null(t);
	add(t, "demo;main;read;parse", 50 + more);
	add(t, "demo;main;read", 10);
	add(t, "demo;main;write;flush", 30);
	add(t, "other;main;read;parse", 5);
	add(t, "other;na\x1b[2J\xc3\xa4me\xff;x", 5);
	return t;
}

static struct tree *make_tree(uint64_t more)
{
	struct tree *t = fill_tree(more);

	assert_int_equal(tree_finish(t), 0);
	return t;
}

static void begin(struct browser *b, struct tree *t)
{
	const struct browser_source s = { .t = t, .title = "a title" };

	assert_int_equal(browser_init(b, &s, TREE_SAMPLES, SORT_SELF), 0);
	browser_resize(b, ROWS);
}

static void keys(struct browser *b, const char *all)
{
	for (; *all; all++)
		assert_int_equal(browser_key(b, *all), 0);
}

static const char *name_at(const struct browser *b)
{
	const struct browser_row *r = &b->rows[b->view.cursor];

	return r->text ? r->text : r->frame.name;
}

static void functions_sort(void **state)
{
	struct tree *t = make_tree(0);
	struct browser b;

	(void)state;
	begin(&b, t);
	assert_string_equal(name_at(&b), "parse");
	assert_int_equal(b.rows[0].self.samples, 55);
	assert_true(shows(&b, "a title"));
	keys(&b, "s");
	assert_string_equal(b.rows[0].frame.name, "main");
	assert_int_equal(b.rows[0].total.samples, 95);
	keys(&b, "u");
	assert_true(shows(&b, "95.0 ms") || shows(&b, "Self time"));
	/* In the help, q leads back */
	assert_int_equal(browser_key(&b, 'h'), 0);
	assert_int_equal(b.view.mode, BROWSE_HELP);
	assert_int_equal(browser_key(&b, 'q'), 0);
	assert_int_not_equal(b.view.mode, BROWSE_HELP);
	assert_int_equal(browser_key(&b, 'q'), 1);
	browser_exit(&b);
	tree_destroy(t);
}

static void tree_opens_and_closes(void **state)
{
	struct tree *t = make_tree(0);
	struct browser b;

	(void)state;
	begin(&b, t);
	keys(&b, "t");
	assert_int_equal(b.nr, 2);
	assert_string_equal(name_at(&b), "demo");
	assert_int_equal(b.rows[0].mark, '+');
	assert_int_equal(browser_key(&b, SCREEN_ENTER), 0);
	assert_int_equal(b.nr, 3);
	keys(&b, "e");
	assert_int_equal(b.nr, 7);
	keys(&b, "jjj");
	assert_string_equal(name_at(&b), "parse");
	assert_int_equal(browser_key(&b, SCREEN_LEFT), 0);
	assert_string_equal(name_at(&b), "read");
	assert_int_equal(browser_key(&b, SCREEN_LEFT), 0);
	assert_int_equal(b.nr, 6);
	keys(&b, "gc");
	assert_int_equal(b.nr, 2);
	/* What was open is not, when its caller is opened again */
	assert_int_equal(browser_key(&b, SCREEN_RIGHT), 0);
	assert_int_equal(b.nr, 3);
	browser_exit(&b);
	tree_destroy(t);
}

static void zoom_and_back(void **state)
{
	struct tree *t = make_tree(0);
	struct browser b;

	(void)state;
	begin(&b, t);
	keys(&b, "<");
	assert_int_equal(b.view.mode, BROWSE_CALLERS);
	assert_true(shows(&b, "Callers of parse"));
	assert_string_equal(b.rows[0].frame.name, "parse");
	assert_string_equal(b.rows[1].frame.name, "read");
	assert_int_equal(b.rows[1].total.samples, 55);
	keys(&b, "j>");
	assert_true(shows(&b, "Callees of read"));
	assert_int_equal(b.rows[0].total.samples, 65);
	keys(&b, "a");
	assert_true(shows(&b, "kflame report --tui of a profile"));
	assert_int_equal(browser_key(&b, SCREEN_BACK), 0);
	assert_true(shows(&b, "Callers of parse"));
	assert_int_equal(b.view.cursor, 1);
	assert_int_equal(browser_key(&b, SCREEN_ESCAPE), 0);
	assert_int_equal(b.view.mode, BROWSE_FUNCTIONS);
	assert_int_equal(browser_key(&b, SCREEN_ESCAPE), 0);
	/* More views than are kept */
	for (int i = 0; i < 50; i++)
		keys(&b, i % 2 ? "f" : "t");
	browser_exit(&b);
	tree_destroy(t);
}

static void words_are_found(void **state)
{
	struct tree *t = make_tree(0);
	struct browser b;

	(void)state;
	begin(&b, t);
	keys(&b, "/FLUq");
	assert_int_equal(browser_key(&b, SCREEN_BACK), 0);
	assert_int_equal(browser_key(&b, SCREEN_ENTER), 0);
	assert_string_equal(name_at(&b), "flush");
	keys(&b, "/r");
	assert_int_equal(browser_key(&b, SCREEN_ENTER), 0);
	for (int i = 0; i < 6; i++) {
		keys(&b, "n");
		assert_non_null(strchr(name_at(&b), 'r'));
	}
	keys(&b, "/nowhere");
	assert_int_equal(browser_key(&b, SCREEN_ENTER), 0);
	assert_true(shows(&b, "no row has 'nowhere'"));
	browser_exit(&b);
	tree_destroy(t);
}

/* What is new comes in, and one stays where one was */
static void renewing_keeps_the_place(void **state)
{
	struct tree *t = make_tree(0), *newer = fill_tree(0);
	struct browser b;

	(void)state;
	add(newer, "first;a", 1000);
	assert_int_equal(tree_finish(newer), 0);
	begin(&b, t);
	keys(&b, "j");
	assert_string_equal(name_at(&b), "flush");
	assert_int_equal(browser_renew(&b, newer, "b title"), 0);
	assert_string_equal(name_at(&b), "flush");
	assert_int_equal(b.view.cursor, 2);
	keys(&b, "te");
	assert_string_equal(b.rows[0].frame.name, "first");
	keys(&b, "j");
	assert_string_equal(name_at(&b), "a");
	/* It is not there any more; another one is open as before */
	assert_int_equal(browser_renew(&b, t, ""), 0);
	assert_true(b.view.cursor < b.nr);
	keys(&b, "f<");
	assert_int_equal(browser_renew(&b, newer, ""), 0);
	assert_true(b.nr > 0);
	browser_exit(&b);
	tree_destroy(t);
	tree_destroy(newer);
}

/* o: only where the caller has waits; their view is the tree, in time */
static void waits(void **state)
{
	struct tree *t = make_tree(0);
	struct browser_source s = { .t = t };
	struct browser b;

	(void)state;
	assert_int_equal(browser_init(&b, &s, TREE_SAMPLES, SORT_SELF), 0);
	keys(&b, "o");
	assert_false(b.waits);
	assert_non_null(strstr(b.message, "without -U"));
	browser_exit(&b);
	s.has_waits = true;
	assert_int_equal(browser_init(&b, &s, TREE_SAMPLES, SORT_SELF), 0);
	keys(&b, "po");
	assert_true(b.waits && !b.paused);
	assert_int_equal(b.view.mode, BROWSE_TREE);
	assert_int_equal(b.unit, TREE_NS);
	keys(&b, "o");
	assert_false(b.waits);
	assert_int_equal(b.view.mode, BROWSE_FUNCTIONS);
	assert_int_equal(b.unit, TREE_SAMPLES);
	browser_exit(&b);
	tree_destroy(t);
}

/* Any size, any keys, names with anything in them: nothing is drawn outside, no control characters */
static void any_size_any_keys(void **state)
{
	static const int some[] = { SCREEN_UP, SCREEN_DOWN, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_ENTER,
				    SCREEN_BACK, SCREEN_END, SCREEN_PAGE_DOWN, SCREEN_PAGE_UP, 0,
				    'f', 't', 'h', '<', '>', 'a', 'e', 'c', 'n', 's', 'u', 'p', 'o' };
	struct tree *t = make_tree(0), *empty = tree_create();
	struct browser b;

	(void)state;
	assert_int_equal(tree_finish(empty), 0);
	begin(&b, t);
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		const struct paper *p;

		assert_int_equal(browser_key(&b, some[random() % (long)(sizeof(some) / sizeof(*some))]), 0);
		if (i % 100 == 0)
			assert_int_equal(browser_renew(&b, i % 300 ? t : empty, "x"), 0);
		browser_resize(&b, (unsigned int)random() % (ROWS + 1));
		p = draw(&b);
		assert_true(!b.nr || b.view.cursor < b.nr);
		for (unsigned int row = 0; row < ROWS; row++)
			for (const char *c = p->rows[row]; *c; c++)
				assert_true(*c >= ' ');
	}
	browser_exit(&b);
	tree_destroy(t);
	tree_destroy(empty);
}

/* A chroot without /dev/pts has none */
static bool has_terminals(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	bool usable = fd >= 0 && !grantpt(fd) && !unlockpt(fd) && ptsname(fd) && !access(ptsname(fd), R_OK | W_OK);

	if (fd >= 0)
		close(fd);
	return usable;
}

/* The tool itself, in a terminal */
static void in_a_terminal(void **state)
{
	char path[] = "/tmp/kflame-test-XXXXXX", line[512];
	int fd = mkstemp(path), status;
	struct mk m = { 0 };

	(void)state;
	assert_true(fd >= 0);
	if (!has_terminals()) {
		close(fd);
		unlink(path);
		print_message("no pseudo terminals here: /dev/pts is not mounted\n");
		skip();
	}
	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "task");
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x1010, 0x2010 }, 2);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x2010 }, 1);
	mk_count(&m, 1, 0, 1, 90, 90000000);
	mk_count(&m, 1, 0, 2, 10, 10000000);
	records_jsym(&m.r, 1, 0x1000, 0x1100, "busy");
	records_jsym(&m.r, 1, 0x2000, 0x2100, "main");
	mk_end(&m);
	assert_int_equal(write(fd, m.r.data, m.r.len), m.r.len);
	close(fd);
	mk_free(&m);
	snprintf(line, sizeof(line), "python3 -B %s/../tui/test_tui.py %s %s", TEST_DIR,
		 KFLAME_TOOL, path);
	status = system(line);
	unlink(path);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_sort),
		cmocka_unit_test(tree_opens_and_closes),
		cmocka_unit_test(zoom_and_back),
		cmocka_unit_test(words_are_found),
		cmocka_unit_test(renewing_keeps_the_place),
		cmocka_unit_test(waits),
		cmocka_unit_test(any_size_any_keys),
		cmocka_unit_test(in_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
