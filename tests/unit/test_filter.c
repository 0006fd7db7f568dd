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

#include "stacks/filter.h"
#include "stacks/folded.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static const char input[] =
	"[gap] 1\n"
	"sh;main;read;vfs_read_[k] 2\n"
	"sh;main;read;vfs_read_[k];Copy_[k] 4\n"
	"sh;main;write 8\n"
	"worker;read;work;read 16\n"
	"worker;[unmapped];a<&\"'>\x01\xff 32\n";

struct rule {
	enum filter_rule what;
	const char *regex;
};

/* What passes, as folded stacks; and that the rest was counted */
static char *pass(const struct rule *rules, size_t nr)
{
	struct filter *f = filter_create();
	struct tree *t = tree_create();
	struct folded_read r;
	char *text, why[80];
	size_t size;
	FILE *in = fmemopen((void *)(uintptr_t)input, strlen(input), "r");
	FILE *out = open_memstream(&text, &size);

	assert_non_null(f);
	assert_non_null(t);
	assert_non_null(in);
	assert_non_null(out);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(filter_add(f, rules[i].what, rules[i].regex, why, sizeof(why)), 0);
	assert_int_equal(filter_is_on(f), nr > 0);
	filter_passes_to(f, tree_add_stack, t);
	assert_int_equal(folded_each_stack(in, "test", filter_stack, f, &r), 0);
	assert_int_equal(r.lines, 6);
	assert_int_equal(tree_sum(t).samples + filter_dropped(f).samples, 63);
	assert_int_equal(folded_write(out, t, TREE_SAMPLES), 0);
	fclose(in);
	fclose(out);
	tree_destroy(t);
	filter_destroy(f);
	return text;
}

static void assert_passes(const char *want, enum filter_rule what, const char *regex)
{
	char *got = pass(&(struct rule){ what, regex }, 1);

	assert_string_equal(got, want);
	free(got);
}

static void stacks_are_chosen(void **state)
{
	(void)state;
	assert_passes("sh;main;read;vfs_read 2\nsh;main;read;vfs_read;Copy 4\n",
		      FILTER_INCLUDE, "^vfs_");
	assert_passes("sh;main;read;vfs_read;Copy 4\n", FILTER_INCLUDE, "copy");
	assert_passes("", FILTER_INCLUDE, "COPY");
	assert_passes("sh;main;write 8\n", FILTER_INCLUDE, "\\Brite");
	assert_passes("[gap] 1\n", FILTER_EXCLUDE, "^(sh|worker)$");
	assert_passes("", FILTER_EXCLUDE, "");
	assert_passes("worker;[unmapped];a<&\"'>\x01\xff 32\n", FILTER_INCLUDE, "<&\"'>");
}

/* Callers go, the thread stays; what is found twice in a stack begins at the outer one */
static void focus_leaves_callers_out(void **state)
{
	(void)state;
	assert_passes("sh;read;vfs_read 2\nsh;read;vfs_read;Copy 4\nworker;read;work;read 16\n",
		      FILTER_FOCUS, "^read$");
	assert_passes("worker;[unmapped];a<&\"'>\x01\xff 32\nworker;read;work;read 16\n",
		      FILTER_FOCUS, "^worker$");
	assert_passes("[gap] 1\n", FILTER_FOCUS, "gap");
}

static int count_frames(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
			uint64_t ns)
{
	(void)samples;
	(void)ns;
	assert_string_equal(frames[0].name, "sh");
	assert_string_equal(frames[1].name, "start");
	assert_string_equal(frames[nr - 1].name, "recurse");
	*(size_t *)ctx = nr;
	return 0;
}

/* The first stack that begins elsewhere may be a deep one */
static void focus_takes_deep_stacks(void **state)
{
	enum { DEEP = 1000 };
	struct frame frames[DEEP] = {
		{ .name = "sh", .kind = FRAME_COMM }, { .name = "main", .kind = FRAME_USER },
		{ .name = "start", .kind = FRAME_USER },
	};
	struct filter *f = filter_create();
	char why[80];
	size_t nr = 0;

	(void)state;
	for (size_t i = 3; i < DEEP; i++)
		frames[i] = (struct frame){ .name = "recurse", .kind = FRAME_USER };
	assert_non_null(f);
	assert_int_equal(filter_add(f, FILTER_FOCUS, "start", why, sizeof(why)), 0);
	filter_passes_to(f, count_frames, &nr);
	assert_int_equal(filter_stack(f, frames, DEEP, 1, 0), 0);
	assert_int_equal(nr, DEEP - 1);
	filter_destroy(f);
}

static void rules_go_together(void **state)
{
	static const struct rule rules[] = {
		{ FILTER_INCLUDE, "^write$" }, { FILTER_INCLUDE, "^read$" },
		{ FILTER_EXCLUDE, "Copy" }, { FILTER_FOCUS, "^(vfs_read|work)$" },
	};
	char *all = pass(NULL, 0), *some = pass(rules, NR(rules));

	(void)state;
	assert_non_null(strstr(all, "[gap] 1\n"));
	assert_string_equal(some, "sh;vfs_read 2\nworker;work;read 16\n");
	free(all);
	free(some);
}

static void expressions_that_are_none(void **state)
{
	struct filter *f = filter_create();
	char why[80] = "";

	(void)state;
	assert_non_null(f);
	assert_int_equal(filter_add(f, FILTER_FOCUS, "a(", why, sizeof(why)), -EINVAL);
	assert_true(*why);
	assert_false(filter_is_on(f));
	assert_false(filter_is_on(NULL));
	filter_destroy(f);
	filter_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_chosen),
		cmocka_unit_test(focus_leaves_callers_out),
		cmocka_unit_test(focus_takes_deep_stacks),
		cmocka_unit_test(rules_go_together),
		cmocka_unit_test(expressions_that_are_none),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
