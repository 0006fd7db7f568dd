/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - compares a text with the file that holds what it should be
 *
 * BLESS=1 in the environment writes the files anew: look at the difference
 * before you keep it.
 */
#ifndef KFLAME_TEST_GOLDEN_H
#define KFLAME_TEST_GOLDEN_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef TEST_DIR
#error "TEST_DIR is the directory of the tests: the Makefile defines it"
#endif

static inline char *golden_path(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/golden/%s", TEST_DIR, name) > 0);
	return path;
}

static inline char *golden_read(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t size;
	char *text;
	FILE *copy;
	int c;

	if (!f)
		return NULL;
	copy = open_memstream(&text, &size);
	assert_non_null(copy);
	while ((c = getc(f)) != EOF)
		putc(c, copy);
	fclose(f);
	fclose(copy);
	return text;
}

/** golden_check() - fails the test unless @text is what golden/@name holds */
static inline void golden_check(const char *name, const char *text)
{
	const char *bless = getenv("BLESS");
	char *path = golden_path(name);
	char *want;
	FILE *f;

	if (bless && !strcmp(bless, "1")) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(text, f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	want = golden_read(path);
	if (!want)
		fail_msg("%s: %s; BLESS=1 writes it", path, strerror(errno));
	if (strcmp(want, text)) {
		size_t at = 0;

		while (want[at] == text[at])
			at++;
		while (at && want[at - 1] != '\n')
			at--;
		fail_msg("%s differs from what came out (BLESS=1 renews it):\n"
			 "want: %.*s\ngot:  %.*s", path, (int)strcspn(want + at, "\n"), want + at,
			 (int)strcspn(text + at, "\n"), text + at);
	}
	free(want);
	free(path);
}

/** cut_assets() - takes style and script out of a picture, which have tests of their own */
static inline void cut_assets(char *svg)
{
	char *from, *to;

	while ((from = strstr(svg, "<![CDATA["))) {
		to = strstr(from, "]]>");
		assert_non_null(to);
		memmove(from, to + 3, strlen(to + 3) + 1);
	}
}

#endif
