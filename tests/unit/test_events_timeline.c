// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events_timeline.c - several events in one profile: samples in order of time
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkevents.h"

static void samples_follow_their_counts(void **state)
{
	const struct profile_range all = { 0 };

	(void)state;
	for (int is_faults = 0; is_faults < 2; is_faults++) {
		uint64_t seen[3] = { 0 };
		struct mk m = { 0 };
		struct profile *p;

		make(&m);
		p = read_timeline(&m);
		assert_int_equal(p->nr_timeline, 17);
		assert_int_equal(profile_use_event(p, "p", is_faults ? "faults" : NULL), 0);
		assert_int_equal(p->nr_timeline, is_faults ? 7 : 10);
		assert_int_equal(profile_use_timeline(p, "p", &all), 0);
		for (size_t i = 0; i < p->nr_timeline; i++) {
			assert_true(p->timeline[i].count < p->nr_counts);
			seen[p->timeline[i].count]++;
		}
		for (size_t i = 0; i < p->nr_counts; i++)
			assert_int_equal(seen[i], p->counts[i].samples);
		assert_int_equal(p->span.start_ns, 1000 * MS);
		profile_destroy(p);
	}
}

static void a_range_of_an_event(void **state)
{
	(void)state;
	/* The third fault of AB, at 25 ms, and the first of AC, at 55 ms */
	assert_int_equal(run(cmd_fold, "--event faults --from 20ms --to 60ms -o out"), 0);
	assert_out("out", "task;a;b 1\ntask;a;c 1\n");
	assert_has("said", "have no time", false);
	assert_int_equal(run(cmd_fold, "--from 20ms --to 60ms -o out"), 0);
	assert_out("out", "task;a;b 4\n");
	assert_has("said", "have no time", false);
	/* Faults have no times, in a part as in the whole */
	assert_int_equal(run(cmd_report, "--event faults --from 20ms --to 60ms -o out"), 0);
	assert_has("out", " 2 page-faults", true);
	assert_int_equal(run(cmd_flame, "--event faults --from 20ms --to 60ms --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
}

/* A sample may weigh more than one */
static void a_range_of_bytes(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 300, .samples = 3, .kstack = AB } };
	static const struct kflame_sample s[] = { { 1010 * MS, 70, 0, 1, 0 }, { 1020 * MS, 30, 0, 1, 0 } };
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, UPPER | 1, bytes, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 2);
	finish(&m, 0);
	save(&m, "bytes.data");
	assert_int_equal(run(cmd_fold, "-i bytes.data --from 0 -o out"), 0);
	assert_out("out", "task;a;b 100\n");
	assert_has("said", "200 samples have no time", true);
	assert_int_equal(run(cmd_fold, "-i bytes.data --from 0 --to 15ms -o out"), 0);
	assert_out("out", "task;a;b 70\n");
}

/* Sums of weights that wrap leave every index valid */
static void a_range_of_huge_weights(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 1, .samples = 1, .kstack = AB } };
	const struct profile_range from = { .from.is_set = true };
	struct kflame_sample s[4];
	struct mk m = { 0 };
	struct profile *p;
	int saved;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		s[i] = (struct kflame_sample){ 1010 * MS, 1ull << 62, 0, 1, 0 };
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, UPPER | 1, bytes, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, s, 4);
	mk_end(&m);
	p = read_timeline(&m);
	assert_int_equal(profile_use_event(p, "p", NULL), 0);
	saved = hush();
	assert_int_equal(profile_use_timeline(p, "p", &from), 0);
	unhush(saved);
	/* Bytes are no nanoseconds, by which the last sample would extend the recording */
	assert_int_equal(p->span.end_ns, 1010 * MS + 1);
	for (size_t i = 0; i < p->nr_timeline; i++)
		assert_true(p->timeline[i].count < p->nr_counts);
	profile_destroy(p);
}

/* pprof and merge keep all events: a range is one of each */
static void a_range_of_all_events(void **state)
{
	const struct profile_range r = { .from = { true, false, 20 * MS }, .to = { true, false, 60 * MS } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	make(&m);
	p = read_timeline(&m);
	assert_int_equal(profile_use_timeline(p, "p", &r), 0);
	assert_int_equal(p->samples, 4);
	assert_int_equal(p->weight_ns, 4 * STEP);
	assert_int_equal(p->events[1].samples, 2);
	assert_int_equal(p->events[1].weight, 2);
	assert_int_equal(p->nr_counts, 3);
	profile_destroy(p);
	/* Page faults without times are left out */
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	mk_event_counts(&m, FAULTS, 0, faults, 2);
	finish(&m, 0);
	save(&m, "untimed.data");
	assert_int_equal(run(cmd_convert, "-i untimed.data --from 0 --to pprof -o out.pb.gz"), 0);
	assert_has("said", "7 samples have no time", true);
	assert_int_equal(run(cmd_fold, "-i untimed.data --from 0 -o out"), 0);
	assert_has("said", "have no time", false);
}

static void pictures_over_time_need_durations(void **state)
{
	static const char *const pictures[] = { "--chart", "--heatmap" };
	static const struct { const char *arguments, *message; } refused[] = {
		{ "--event page-faults", "kflame.data cannot be shown over time: page-faults have no duration. "
			"Choose --event cpu-clock, or leave out --chart, --heatmap or --latency\n" },
		{ "-i faults.data", "faults.data cannot be shown over time: page-faults have no duration. "
			"Leave out --chart, --heatmap or --latency\n" },
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 2; k++) {
			snprintf(line, sizeof(line), "%s %s -o gone", pictures[i], refused[k].arguments);
			assert_int_equal(run(cmd_flame, line), EXIT_FAILURE);
			assert_non_null(strstr(said, refused[k].message));
			assert_int_equal(access("gone", F_OK), -1);
		}
		snprintf(line, sizeof(line), "%s -o out", pictures[i]);
		assert_int_equal(run(cmd_flame, line), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_follow_their_counts),
		cmocka_unit_test(a_range_of_an_event),
		cmocka_unit_test(a_range_of_bytes),
		cmocka_unit_test(a_range_of_huge_weights),
		cmocka_unit_test(a_range_of_all_events),
		cmocka_unit_test(pictures_over_time_need_durations),
	};

	return cmocka_run_group_tests_name("timeline of events", tests, mkevents_setup, leave_scratch);
}
