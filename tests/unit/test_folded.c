// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hush.h"
#include "stacks/folded.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static struct tree *read_bytes(const char *bytes, size_t len, struct folded_read *r)
{
	struct tree *t = tree_create();
	FILE *in = fmemopen((void *)(uintptr_t)bytes, len, "r");
	int saved, err;

	assert_non_null(t);
	assert_non_null(in);
	saved = hush();
	err = folded_read(in, "test", t, r);
	unhush(saved);
	assert_int_equal(err, 0);
	fclose(in);
	return t;
}

static struct tree *read_text(const char *text, struct folded_read *r)
{
	return read_bytes(text, strlen(text), r);
}

static char *write_tree(const struct tree *t, enum tree_unit unit)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(folded_write(out, t, unit), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_lines(const struct tree *t, enum tree_unit unit, const char *want)
{
	char *text = write_tree(t, unit);

	assert_string_equal(text, want);
	free(text);
}

static void what_is_written_can_be_read(void **state)
{
	static const char text[] =
		"a b;f(int, char) const;g 12\n"
		"a b;f(int, char) const;g;h 1\n"
		"a;x 18446744073709551000\n"
		"z 5\n";
	struct folded_read r;
	struct tree *t = read_text(text, &r);

	(void)state;
	assert_int_equal(r.lines, 4);
	assert_int_equal(r.bad, 0);
	assert_lines(t, TREE_SAMPLES, text);
	assert_lines(t, TREE_NS, "");
	tree_destroy(t);
}

static void kinds_are_told_by_looks(void **state)
{
	struct folded_read r;
	struct tree *t = read_text("sh;main;read_[k];inl_[i];[unknown];[];_[k];;[xfs]_[k];[[vdso]]_[j];last 1\n", &r);
	static const struct frame want[] = {
		{ "all", NULL, FRAME_COMM }, { "sh", NULL, FRAME_COMM },
		{ "main", NULL, FRAME_USER }, { "read", NULL, FRAME_KERNEL },
		{ "inl", NULL, FRAME_INLINED }, { "[unknown]", NULL, FRAME_NOTE },
		{ "[]", NULL, FRAME_USER }, { "_[k]", NULL, FRAME_USER },
		{ "[no name]", NULL, FRAME_NOTE }, { "[xfs]", NULL, FRAME_KERNEL },
		{ "[[vdso]]", FRAME_FILE_JIT, FRAME_USER }, { "last", NULL, FRAME_USER },
	};

	(void)state;
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_frames, NR(want));
	for (size_t i = 0; i < NR(want); i++) {
		assert_string_equal(t->frames[i].name, want[i].name);
		assert_int_equal(t->frames[i].kind, want[i].kind);
		assert_true(!t->frames[i].file == !want[i].file);
	}
	tree_destroy(t);
}

/* Austin, py-spy and editors on Windows; a thread of kflame may have '#' in its name */
static void remarks_are_no_stacks(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf# austin: 3.3.0\n"
		"#!made by a script 12\n"
		"#\r\n"
		"#interval: 100\n"
		"P1;T1;main.py:f:10 500\n"
		"#c;main 5\n"
		"#c 6\n"
		"## sampled; for a while 7\n"
		"#duration:23873\n"
		"#made by a script\n"
		"#c;main\n"
		"# duration: 23873\n";
	struct folded_read r;
	struct tree *t = read_text(text, &r);

	(void)state;
	assert_int_equal(r.lines, 3);
	assert_int_equal(r.bad, 1);
	assert_int_equal(r.first_bad, 11);
	assert_int_equal(r.remarks, 8);
	assert_lines(t, TREE_SAMPLES, "#c 6\n#c;main 5\nP1;T1;main.py:f:10 500\n");
	tree_destroy(t);
	t = read_text("\xef\xbb\xbfgood 1\n", &r);
	assert_lines(t, TREE_SAMPLES, "good 1\n");
	tree_destroy(t);
}

static void counts_are_whole(void **state)
{
	static const char text[] =
		"a;b 31.0\n"
		"a;b 2.000\n"
		"a;c 31.23\n"
		"a;c .0\n"
		"a;c 10 20\n"		/* difffolded.pl */
		"a;c 10.0 20\n"
		"a;c 10.5 20\n"
		"a;c 10 20.5\n"
		"a;c 1e3\n"
		"a;c 1.0.0\n"
		"a;b 2.\n"
		"a c;1.0 3\n";
	struct folded_read r;
	struct tree *t = read_text(text, &r);

	(void)state;
	assert_int_equal(r.lines, 4);
	assert_int_equal(r.bad, 8);
	assert_int_equal(r.first_bad, 3);
	assert_lines(t, TREE_SAMPLES, "a c;1.0 3\na;b 35\n");
	tree_destroy(t);
}

static void bad_lines_are_counted(void **state)
{
	static const char text[] =
		"good;a 1\r\n"
		"\n"
		"no count\n"
		"a;b12\n"
		"12\n"
		" 12\n"
		"a;b -1\n"
		"a;b 1.5\n"
		"a;b 18446744073709551616\n"
		"a;b 18446744073709551615\n"
		"good\t 3";
	static const char nul[] = "x;\0y 3\nx 2\n";
	struct folded_read r;
	struct tree *t = read_text(text, &r);

	(void)state;
	assert_int_equal(r.lines, 2);
	assert_int_equal(r.bad, 8);
	assert_int_equal(r.first_bad, 3);
	assert_lines(t, TREE_SAMPLES, "good 3\ngood;a 1\n");
	tree_destroy(t);

	t = read_bytes(nul, sizeof(nul) - 1, &r);
	assert_int_equal(r.bad, 1);
	assert_lines(t, TREE_SAMPLES, "x 2\n");
	tree_destroy(t);
}

static void read_errors_are_told(void **state)
{
	struct tree *t = tree_create();
	FILE *in = fopen("/proc/self/mem", "r");
	struct folded_read r;

	(void)state;
	assert_non_null(t);
	assert_non_null(in);
	assert_int_equal(folded_read(in, "test", t, &r), -EIO);
	fclose(in);
	tree_destroy(t);
}

/* Nothing that is read may crash; a fixed seed, so that a failure stays one */
static void random_bytes_do_no_harm(void **state)
{
	static const char alphabet[] = ";; \n\n0123456789ab[k]_\t\r\xff\xc3";
	uint32_t seed = 1;
	char bytes[600];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t len = 1 + round % sizeof(bytes);
		struct folded_read r;
		struct tree *t;
		char *text;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = round % 8 ? alphabet[(seed >> 16) % (sizeof(alphabet) - 1)] :
				(char)(seed >> 24);
		}
		t = read_bytes(bytes, len, &r);
		text = write_tree(t, TREE_SAMPLES);
		free(text);
		tree_destroy(t);
	}
}

static void a_line_can_be_deep(void **state)
{
	size_t frames = 200000, size;
	struct folded_read r;
	struct tree *t;
	char *line;
	FILE *f = open_memstream(&line, &size);

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < frames; i++)
		fputs("f;", f);
	fputs("f 7\n", f);
	fclose(f);
	t = read_text(line, &r);
	assert_int_equal(r.lines, 1);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_nodes, 1 + TREE_MAX_DEPTH);
	assert_int_equal(t->nodes[t->nr_nodes - 1].self.samples, 7);
	tree_destroy(t);
	free(line);
}

static void names_cannot_break_lines(void **state)
{
	const struct frame f[] = {
		{ "a;b", NULL, FRAME_COMM }, { "x\ny\x7f\t", "lib", FRAME_USER },
		{ "k", "mod", FRAME_KERNEL }, { "s", NULL, FRAME_SOFTIRQ },
		{ "[late]", NULL, FRAME_NOTE },
	};
	struct tree *plain = tree_create(), *marked = tree_create();

	(void)state;
	assert_non_null(plain);
	assert_non_null(marked);
	assert_int_equal(folded_add(plain, FOLDED_NO_SUFFIX, f, NR(f), 2, 20), 0);
	assert_int_equal(folded_add(marked, FOLDED_KERNEL, f, NR(f), 2, 20), 0);
	assert_lines(plain, TREE_SAMPLES, "a:b;x?y??;k;s;[late] 2\n");
	assert_lines(marked, TREE_SAMPLES, "a:b;x?y??;k_[k];s_[k];[late] 2\n");
	tree_destroy(plain);
	tree_destroy(marked);
}

/* Names that a reader would take for a remark, or for a count */
static void names_are_read_as_names(void **state)
{
	static const char *const names[] = { "# a", "#", "#key: value", "#c", "worker 10", "x 1.0 ", "7", " 7", " ", "",
		"\xef\xbb\xbf", "\xef\xbb\xbf" "a" };
	struct folded_read r;

	(void)state;
	for (size_t i = 0; i < NR(names) * 2; i++) {
		struct frame f[] = { { names[i / 2], NULL, FRAME_COMM }, { names[i / 2], NULL, FRAME_USER } };
		struct tree *t = tree_create(), *back;
		char *text;

		assert_non_null(t);
		assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, f, 1 + i % 2, 5, 0), 0);
		text = write_tree(t, TREE_SAMPLES);
		back = read_text(text, &r);
		assert_int_equal(r.lines, 1);
		assert_int_equal(tree_sum(back).samples, 5);
		free(text);
		tree_destroy(t);
		tree_destroy(back);
	}
}

static void kinds_survive(void **state)
{
	const struct frame f[] = {
		{ "sh", NULL, FRAME_COMM }, { "j", FRAME_FILE_JIT, FRAME_USER },
		{ "i", NULL, FRAME_INLINED }, { "k", NULL, FRAME_KERNEL },
	};
	struct tree *t = tree_create();

	(void)state;
	assert_non_null(t);
	assert_int_equal(folded_add(t, FOLDED_KINDS, f, NR(f), 1, 0), 0);
	assert_lines(t, TREE_SAMPLES, "sh;j_[j];i_[i];k_[k] 1\n");
	tree_destroy(t);
}

/* Stacks that look the same are one line; parts without samples are none */
static void lines_are_distinct_and_sums_exact(void **state)
{
	const struct frame a[] = { { "sh", NULL, FRAME_COMM }, { "f", "libx", FRAME_USER } };
	const struct frame b[] = { { "sh", NULL, FRAME_COMM }, { "f", "liby", FRAME_USER } };
	const struct frame k[] = { { "sh", NULL, FRAME_COMM }, { "f", NULL, FRAME_KERNEL } };
	const struct frame late[] = { { "sh", NULL, FRAME_COMM }, { "f", "libx", FRAME_USER },
		{ "[late]", NULL, FRAME_NOTE } };
	struct tree *t = tree_create();

	(void)state;
	assert_non_null(t);
	assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, a, NR(a), 1, 10), 0);
	assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, b, NR(b), 2, 20), 0);
	assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, k, NR(k), 4, 40), 0);
	assert_int_equal(folded_add(t, FOLDED_NO_SUFFIX, late, NR(late), 0, 7), 0);
	assert_lines(t, TREE_SAMPLES, "sh;f 7\n");
	assert_lines(t, TREE_NS, "sh;f 70\nsh;f;[late] 7\n");
	tree_destroy(t);
}

/* As LC_ALL=C sort has it: ' ' < '!' < '0' < ';' < 'A' < 'a' < UTF-8 */
static void lines_are_sorted_by_bytes(void **state)
{
	static const char *const sorted[] = {
		"a 1\n", "a! 1\n", "a;A 1\n", "a;a 1\n", "a;a;b 1\n", "a;b 1\n", "a;b c 1\n",
		"a;b! 1\n", "a;b;c 1\n", "a;\xc3\xa9 1\n", "aa 1\n",
	};
	char backwards[200] = "", want[200] = "";
	struct folded_read r;
	struct tree *t;

	(void)state;
	for (size_t i = 0; i < NR(sorted); i++) {
		strcat(backwards, sorted[NR(sorted) - 1 - i]);
		strcat(want, sorted[i]);
	}
	t = read_text(backwards, &r);
	assert_lines(t, TREE_SAMPLES, want);
	tree_destroy(t);
}

/* Lines with much, little and nothing in common with the one before, bad ones between them */
static char *random_lines(uint32_t seed, size_t nr, size_t *size)
{
	static const char *const names[] = {
		"a", "ab", "a b", "b 1", "", "_[k]", "c_[k]", "[x]", "long_name_of_a_function",
		"long_name_of_a_method", "d_[i]", "\xe5\x87\xbd",
	};
	char *text;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	for (size_t i = 0; i < nr; i++) {
		seed = seed * 1664525 + 1013904223;
		for (uint32_t k = 0, bits = seed; k < 1 + (seed >> 28); k++, bits /= 3)
			fprintf(out, "%s%s", k ? ";" : "", names[bits % (k < 5 ? 3 : NR(names))]);
		fputs(seed % 11 ? " 1\n" : "\n", out);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* What a line has in common with the one before is not read again: that must not show */
static void each_line_stands_for_itself(void **state)
{
	size_t size;
	char *text = random_lines(5, 5000, &size);
	struct tree *apart = tree_create(), *t;
	struct folded_read all, one;
	char *line, *end, *x, *y;

	(void)state;
	assert_non_null(apart);
	t = read_bytes(text, size, &all);
	assert_true(all.lines > 3000 && all.bad > 300);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		FILE *in = fmemopen(line, (size_t)(end - line) + 1, "r");
		int saved = hush();

		assert_int_equal(folded_read(in, "test", apart, &one), 0);
		unhush(saved);
		fclose(in);
	}
	x = write_tree(t, TREE_SAMPLES);
	y = write_tree(apart, TREE_SAMPLES);
	assert_string_equal(x, y);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(tree_finish(apart), 0);
	assert_int_equal(t->nr_nodes, apart->nr_nodes);
	assert_int_equal(t->nr_frames, apart->nr_frames);
	for (uint32_t i = 0; i < t->nr_frames; i++) {
		assert_string_equal(t->frames[i].name, apart->frames[i].name);
		assert_int_equal(t->frames[i].kind, apart->frames[i].kind);
	}
	free(x);
	free(y);
	free(text);
	tree_destroy(t);
	tree_destroy(apart);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(kinds_are_told_by_looks),
		cmocka_unit_test(remarks_are_no_stacks),
		cmocka_unit_test(counts_are_whole),
		cmocka_unit_test(bad_lines_are_counted),
		cmocka_unit_test(read_errors_are_told),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(a_line_can_be_deep),
		cmocka_unit_test(names_cannot_break_lines),
		cmocka_unit_test(names_are_read_as_names),
		cmocka_unit_test(kinds_survive),
		cmocka_unit_test(lines_are_distinct_and_sums_exact),
		cmocka_unit_test(lines_are_sorted_by_bytes),
		cmocka_unit_test(each_line_stands_for_itself),
	};

	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
