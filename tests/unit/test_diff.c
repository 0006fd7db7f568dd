// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_diff.c - kflame diff: tables, significance, vanished and new paths, the picture
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "read_json.h"
#include "stacks/load.h"
#include "views/diff_flame.h"
#include "views/significance.h"

#define DEEP	1000u

static char dir[] = "/tmp/kflame-diff-XXXXXX";

/* work shrinks, other grows, gone vanishes, fresh is new; B is about twice as long */
static const char before[] =
	"demo;main;work 700\n"
	"demo;main;work;read_[k] 50\n"
	"demo;main;other 100\n"
	"demo;main;gone;inner 97\n"
	"demo;main;gone;rare 1\n"
	"demo;main;gone;rarer 1\n"
	"evil;<b>\"&';\x1b[31m \xff 1\n"
	"swapper;[idle] 500\n";
static const char after[] =
	"demo;main;work 1000\n"
	"demo;main;work;read_[k] 103\n"
	"demo;main;other 600\n"
	"demo;main;fresh;inner 300\n"
	"evil;<b>\"&';\x1b[31m \xff 1\n"
	"swapper;[idle] 100\n";

/* One of 1,000 frames; the inner half is only in one of them */
static void write_deep(const char *path, unsigned int frames, const char *count)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("deep", f);
	for (unsigned int i = 0; i < frames; i++)
		fprintf(f, ";f%u", i);
	fprintf(f, " %s\n", count);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	*state = NULL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	write_file("a", before, strlen(before));
	write_file("b", after, strlen(after));
	write_deep("deep", DEEP, "9223372036854775807");
	write_deep("shallow", DEEP / 2, "3");
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "a", "b", "deep", "shallow", "out", "out.svg",
					     "diff.svg", "said" };

	*state = NULL;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

static void check_text(const char *golden, const char *arguments)
{
	char line[256], *text;

	snprintf(line, sizeof(line), "--folded a b -o out %s", arguments);
	assert_int_equal(run(cmd_diff, line), 0);
	text = golden_read("out");
	assert_non_null(text);
	assert_null(strchr(text, '\x1b'));
	golden_check(golden, text);
	free(text);
}

static void tables_are_as_they_were(void **state)
{
	(void)state;
	check_text("diff.txt", "");
	check_text("diff-raw-total.txt", "--raw --sort total --base B -n 3 --idle");
}

/* A path of few samples may be there by chance; of one that is not, the line has an end */
static void new_paths_are_beyond_chance(void **state)
{
	FILE *f = fopen("a", "w"), *g = fopen("b", "w");
	char *text;

	(void)state;
	fputs("x;main 1000\n", f);
	fputs("x;main 1000\nx;main;rare 2\nx;main", g);
	for (int i = 0; i < 200; i++)
		fprintf(g, ";caller_%d", i);
	fputs(" 500\n", g);
	assert_false(fclose(f) || fclose(g));
	assert_int_equal(run(cmd_diff, "--folded a b -o out"), 0);
	text = golden_read("out");
	assert_non_null(strstr(text, "New, in B only: 1 path (and 1 with so few samples"));
	assert_non_null(strstr(text, "caller_0  in x;main\n"));
	assert_null(strstr(text, "rare  in"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) < 200);
	free(text);
	write_file("a", before, strlen(before));
	write_file("b", after, strlen(after));
}

static void pictures_are_as_they_were(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(run(cmd_diff, "--folded a b -o out.svg"), 0);
	text = golden_read("out.svg");
	assert_non_null(text);
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "<b>"));
	/* All that does not come from flame.css and flame.js */
	*strstr(text, "<script>") = 0;
	memmove(strstr(text, "<style>"), strstr(text, "</style>"),
		strlen(strstr(text, "</style>")) + 1);
	golden_check("diff.svg", text);
	free(text);
	assert_int_equal(run(cmd_diff, "--folded --flame a b"), 0);
	assert_non_null(strstr(said, "drew diff.svg"));
}

/* Both sides of the picture add up, vanished paths with them */
static void sums_are_true_on_both_sides(void **state)
{
	struct diff d = { .letter = "AB" };
	struct diff_flame f;
	struct weight gone;
	uint64_t self[2] = { 0, 0 };

	(void)state;
	assert_int_equal(load_folded("a", NULL, &d.t[DIFF_BASE], NULL), 0);
	assert_int_equal(load_folded("b", NULL, &d.t[DIFF_OTHER], NULL), 0);
	assert_int_equal(tree_finish(d.t[DIFF_BASE]), 0);
	assert_int_equal(tree_finish(d.t[DIFF_OTHER]), 0);
	assert_int_equal(diff_tree_make(&d.paths, d.t[DIFF_BASE], d.t[DIFF_OTHER]), 0);
	for (int s = 0; s < 2; s++) {
		const struct tree *t = d.paths.side[s];

		assert_int_equal(t->nr_nodes, d.paths.side[!s]->nr_nodes);
		assert_int_equal(t->nodes[TREE_ROOT].total.samples, diff_whole(&d, s)->samples);
		for (uint32_t i = 0; i < t->nr_nodes; i++) {
			self[s] += t->nodes[i].self.samples;
			assert_int_equal(t->nodes[i].parent, d.paths.side[!s]->nodes[i].parent);
			assert_string_equal(t->frames[t->nodes[i].frame].name,
				d.paths.side[!s]->frames[d.paths.side[!s]->nodes[i].frame].name);
		}
	}
	assert_int_equal(self[DIFF_BASE], 1450);
	assert_int_equal(self[DIFF_OTHER], 2104);
	assert_int_equal(diff_flame_make(&f, &d), 0);
	gone = diff_flame_vanished(&f);
	assert_int_equal(gone.samples, 99);
	/* 99 of 1,450 are 143.65 of 2,104: drawn as 144, rounded once and not for each path */
	assert_int_equal(f.width->nodes[f.tower].total.samples, 144);
	assert_int_equal(f.width->nodes[TREE_ROOT].total.samples, 2104 + 144);
	assert_int_equal(f.base->nodes[TREE_ROOT].total.samples, 1450 + 99);
	diff_flame_exit(&f);
	diff_tree_exit(&d.paths);
	tree_destroy(d.t[DIFF_BASE]);
	tree_destroy(d.t[DIFF_OTHER]);
}

static void significance_is_that_of_the_books(void **state)
{
	double p[] = { 0.010, 0.04, 0.031, 0.6, 0.024 };

	(void)state;
	/* Of G = 2 sum O ln(O / E); the two-proportion z test has 0.00072 for the first of them */
	assert_float_equal(significance_of_shares(100, 1000, 150, 1000), 0.000697265, 5e-9);
	assert_float_equal(significance_of_shares(3, 1000, 0, 1000), 0.0413067, 5e-7);
	assert_float_equal(significance_of_shares(50, 500, 100, 1000), 1, 1e-9);
	assert_float_equal(significance_of_shares(5, 10, 5, 0), 1, 0);
	/* G = 2 * (10 ln(10/15) + 20 ln(20/15)) = 3.398 */
	assert_float_equal(significance_of_counts(10, 20), 0.0652763, 5e-7);
	assert_float_equal(significance_of_counts(0, 0), 1, 0);
	assert_true(significance_of_counts(UINT64_MAX, 1) < 1e-100);
	/* 0.010, 0.024, 0.031 and 0.04 are below 0.01, 0.02, 0.03 and 0.04: the last one counts */
	assert_float_equal(significance_many(p, 5), 0.04, 0);
	p[1] = 0.041;
	assert_float_equal(significance_many(p, 5), 0.010, 0);
	assert_float_equal(significance_many(p, 0), -1, 0);
}

/* Samples of 1,000 that end in a function which has a tenth of the time; always the same ones */
static uint64_t draw(uint64_t *seed)
{
	uint64_t hits = 0;

	for (int i = 0; i < 1000; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		hits += (*seed >> 33) % 10 == 0;
	}
	return hits;
}

/* Where nothing changed, one test in twenty says that something did: that is what p means */
static void chance_is_what_it_says(void **state)
{
	unsigned int shares = 0, counts = 0;
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint64_t a = draw(&seed), b = draw(&seed);

		shares += significance_of_shares(a, 1000, b, 1000) <= 0.05;
		counts += significance_of_counts(a, b) <= 0.05;
	}
	assert_in_range(shares, 80, 120);
	/* Fewer: counts of a fixed number of samples vary less than those of a fixed time */
	assert_in_range(counts, 50, 100);
}

static void deep_stacks_and_json(void **state)
{
	struct json_object *o, *path;

	(void)state;
	o = read_json(cmd_diff, "--folded shallow deep");
	assert_int_equal(json_object_array_length(get(o, "by_function")), 2);
	assert_int_equal(json_object_array_length(get(o, "vanished")), 0);
	path = json_object_array_get_idx(get(o, "new"), 0);
	assert_int_equal(json_object_array_length(get(path, "path")), DEEP / 2 + 2);
	assert_int_equal(json_object_get_uint64(get(get(path, "total"), "samples")), INT64_MAX);
	json_object_put(o);
	assert_int_equal(run(cmd_diff, "--folded deep shallow -o out.svg --raw"), 0);
	assert_has("out.svg", ">f999\nuser\nA: 9,223,372,036,854,775,807 samples, 100.00%\nB: 0 samples", true);
}

/* Of what is no sample nobody knows what chance would do */
static void other_counts_are_not_tested(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(run(cmd_diff, "--folded a b -o out --count-name bytes"), 0);
	text = golden_read("out");
	assert_non_null(strstr(text, "shares of bytes"));
	assert_non_null(strstr(text, " bytes;"));
	assert_null(strchr(text, '*'));
	assert_null(strstr(text, "samples that"));
	free(text);
	assert_int_equal(run(cmd_diff, "--folded a b -o out.svg --count-name bytes"), 0);
	text = golden_read("out.svg");
	assert_non_null(strstr(text, " bytes, "));
	assert_null(strstr(text, ", p "));
	assert_null(strstr(text, "chance"));
	free(text);
	assert_int_equal(run(cmd_diff, "--folded a b -o out --json --count-name bytes"), 0);
	assert_has("out", "\"unit\":\"bytes\"", true);
	assert_has("out", "\"p\":null", true);
}

static void what_cannot_be_compared_is_told(void **state)
{
	(void)state;
	write_file("out", "", 0);
	assert_int_equal(run(cmd_diff, "--folded a out"), 1);
	assert_non_null(strstr(said, "there are no samples in out"));
	assert_int_equal(run(cmd_diff, "--folded a b --time"), 1);
	assert_non_null(strstr(said, "a holds no times"));
	assert_int_equal(run(cmd_diff, "a b"), 1);
	assert_int_equal(run(cmd_diff, "--folded a not-there"), 1);
	assert_non_null(strstr(said, "cannot read not-there"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_as_they_were),
		cmocka_unit_test(new_paths_are_beyond_chance),
		cmocka_unit_test(pictures_are_as_they_were),
		cmocka_unit_test(sums_are_true_on_both_sides),
		cmocka_unit_test(significance_is_that_of_the_books),
		cmocka_unit_test(chance_is_what_it_says),
		cmocka_unit_test(deep_stacks_and_json),
		cmocka_unit_test(other_counts_are_not_tested),
		cmocka_unit_test(what_cannot_be_compared_is_told),
	};

	return cmocka_run_group_tests_name("diff", tests, setup, teardown);
}
