// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_top.c - what kflame top counts and names while it is recorded
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "mkprofile.h"
#include "programs.h"
#include "top/live_names.h"
#include "top/live_window.h"

static const struct live_window none;

static void counts(struct profile *p, uint64_t first, uint64_t second)
{
	struct mk m = { 0 };

	mk_count(&m, 1, 0, 1, first, first * 1000);
	if (second)
		mk_count(&m, 1, 0, 2, second, second * 1000);
	assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	mk_free(&m);
}

static struct profile *begin(void)
{
	struct mk m = { 0 };
	struct profile *p;

	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "task");
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x401000 }, 1);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x402000 }, 1);
	mk_count(&m, 1, 0, 1, 100, 100000);
	p = mk_profile(&m);
	mk_free(&m);
	return p;
}

/* What is new counts whole, what is old an eighth less each time, until it is gone */
static void old_samples_fade(void **state)
{
	struct profile *p = begin();
	struct live_window w = none;
	uint64_t before;

	(void)state;
	assert_int_equal(live_window_update(&w, p), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.samples, 100);
	assert_int_equal(w.counts[0].samples, 100);
	assert_int_equal(w.counts[0].weight_ns, 100000);
	counts(p, 20, 7);
	assert_int_equal(live_window_update(&w, p), 0);
	assert_int_equal(w.nr, 2);
	assert_int_equal(w.samples, 27);
	/* 100 * 7/8 + 20 = 107.5 */
	assert_int_equal(w.counts[0].samples, 108);
	assert_int_equal(w.counts[1].samples, 7);
	for (int i = 0; i < 100 && w.nr; i++) {
		before = w.counts[0].samples;
		assert_int_equal(live_window_update(&w, p), 0);
		assert_int_equal(w.samples, 0);
		for (size_t k = 0; k < w.nr; k++) {
			assert_true(w.counts[k].samples && w.counts[k].samples <= before);
			assert_true(w.counts[k].late_ns <= w.counts[k].weight_ns);
		}
	}
	assert_int_equal(w.nr, 0);
	/* And comes again */
	counts(p, 3, 0);
	assert_int_equal(live_window_update(&w, p), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.counts[0].samples, 3);
	/* The profile itself has all of it */
	assert_int_equal(p->samples, 130);
	live_window_exit(&w);
	profile_destroy(p);
}

static int make(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("a.c", "int one(int n) { return n * 3; }\nint two(int n) { return n * 5; }\n"
		   "int main(void) { return one(two(1)); }\n");
	run("%s -g -o prog a.c");
	return 0;
}

static uint64_t offset_in(const char *function)
{
	struct looked *b = look_named("prog");
	uint64_t at = 0x100;

	while (at < 0x4000 && strcmp(name_at(b, at), function))
		at++;
	assert_true(at < 0x4000);
	look_close(b);
	return at;
}

static const char *name_of(struct live_names *n, const struct profile *p, uint64_t offset)
{
	const struct profile_symbol *s;
	struct profile view = *p;

	assert_int_equal(live_names_lend(n, &view), 0);
	s = profile_symbol(&view.files[0].syms, offset);
	return s ? s->name : "-";
}

static const char *made_name_of(struct live_names *n, const struct profile *p, uint64_t at)
{
	struct profile view = *p;
	const struct profile_symbol *s;

	assert_int_equal(live_names_lend(n, &view), 0);
	s = profile_symbol(&view.aspaces[0].syms, at);
	return s ? s->name : "-";
}

/* A compiler tells more and more, and puts code in the place of other code */
static void made_names_are_the_latest(void **state)
{
	struct held_files held = { 0 };
	struct perf_maps maps = { 0 };
	struct live_names *n = live_names_create(-1);
	FILE *file = tmpfile();
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "java");
	mk_mapping(&m, 1, 0x500000, 0x501000, 0, 0);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x500010, 0x500111 }, 2);
	mk_count(&m, 1, 0, 1, 1, 1000);
	p = mk_profile(&m);
	mk_free(&m);
	perf_maps_update(&maps, p);
	assert_int_equal(maps.nr, 1);
	maps.all[0].fd = dup(fileno(file));
	maps.open = 1;
	for (const char *const *line = (const char *const[]){
		"500000 20 first\n", "500100 20 second\n", "500000 40 anew\n", NULL }; *line; line++) {
		fputs(*line, file);
		fflush(file);
		assert_int_equal(live_names_update(n, p, &held, &maps, p->counts, 1), 0);
		assert_string_equal(made_name_of(n, p, 0x500010),
				    strstr(*line, "anew") ? "anew" : "first");
		assert_string_equal(made_name_of(n, p, 0x500110),
				    strstr(*line, "first") ? "-" : "second");
	}
	assert_int_equal(p->aspaces[0].syms.nr, 0);
	live_names_destroy(n);
	perf_maps_exit(&maps);
	profile_destroy(p);
	fclose(file);
}

/* Names of a file come as they are needed, and stay; what the profile has is not touched */
static void names_come_as_needed(void **state)
{
	uint64_t one = offset_in("one"), two = offset_in("two");
	struct held_files held = { 0 };
	struct perf_maps maps = { 0 };
	struct live_names *n;
	struct profile_file f;
	struct mk m = { 0 };
	struct profile *p;
	char path[128];

	(void)state;
	describe("prog", &f, path);
	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "prog");
	records_file(&m.r, &f.rec, path);
	mk_mapping(&m, 1, 0x400000, 0x408000, 1, 0);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x400000 + one, 0x999000 }, 2);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x400000 + two }, 1);
	mk_count(&m, 1, 0, 1, 1, 1000);
	mk_count(&m, 1, 0, 2, 1, 1000);
	p = mk_profile(&m);
	mk_free(&m);
	n = live_names_create(-1);
	assert_non_null(n);
	held_files_start(&held, -1, false, NULL, NULL);
	held_files_update(&held, p);
	while (held_files_fd(&held, 0) == HELD_NOT_YET) {
		assert_int_equal(live_names_update(n, p, &held, &maps, p->counts, 1), 0);
		usleep(1000);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(live_names_update(n, p, &held, &maps, p->counts, 1), 0);
		assert_string_equal(name_of(n, p, one), "one");
		assert_string_equal(name_of(n, p, two), "-");
	}
	assert_int_equal(live_names_update(n, p, &held, &maps, p->counts, 2), 0);
	assert_string_equal(name_of(n, p, one), "one");
	assert_string_equal(name_of(n, p, two), "two");
	assert_int_equal(p->files[0].syms.nr, 0);
	live_names_destroy(n);
	held_files_exit(&held);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_samples_fade),
		cmocka_unit_test(names_come_as_needed),
		cmocka_unit_test(made_names_are_the_latest),
	};

	return cmocka_run_group_tests(tests, make, programs_remove);
}
