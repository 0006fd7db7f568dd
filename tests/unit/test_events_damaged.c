// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events_damaged.c - several events in one profile: malformed records
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

/* Good records before and after the malformed ones in @bad are read.  Frees @bad. */
static void assert_damaged(struct mk *bad, uint64_t nr)
{
	struct mk m = { 0 };
	struct profile *p;

	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, faults, 1);
	for (size_t at = 0; at < bad->r.len;) {
		struct kflame_rec *rec = (void *)(bad->r.data + at);
		const uint32_t size = rec->size;

		records_add(&m.r, rec, size, NULL, 0);
		at += size;
	}
	mk_event_counts(&m, FAULTS, 0, faults + 1, 1);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	mk_count(&m, 0, AB, 0, 10, 10 * STEP);
	finish(&m, 0);
	mk_free(bad);
	p = read_it(&m);
	assert_int_equal(p->damaged, nr);
	assert_int_equal(p->unknown, 0);
	assert_int_equal(p->nr_events, 2);
	assert_int_equal(p->samples, 10);
	assert_faults(p, "faults");
}

/* One byte less than KFLAME_EVENT_NAME */
#define LONGEST_NAME \
	"kprobe:f0123456789abcdef0123456789abcdef0123456789abcdef0123456" \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A name that is longer than the field of older readers, from the stream to the views and into a sum */
static void long_names_are_whole(void **state)
{
	struct kflame_rec_event rec = {
		.rec.type = KFLAME_REC_EVENT, .id = FAULTS, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS,
		.name = "kprobe:f0123456789abcdef01234~1",
	};
	struct mk m = { 0 };

	(void)state;
	assert_int_equal(sizeof(LONGEST_NAME), KFLAME_EVENT_NAME);
	strcpy((char *)rec.full_name, LONGEST_NAME);
	begin(&m);
	records_add(&m.r, &rec, sizeof(rec), NULL, 0);
	put_faults(&m, FAULTS);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	finish(&m, 0);
	save(&m, "long.data");
	assert_int_equal(run(cmd_merge, "long.data kflame.data long.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
	assert_int_equal(run(cmd_report, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_has("out", " 14 " LONGEST_NAME ", 4 lost\n", true);
	assert_int_equal(run(cmd_flame, "-i sum --event " LONGEST_NAME " -o out"), 0);
	assert_has("out", "8 " LONGEST_NAME "\n", true);
	assert_int_equal(run(cmd_diff, "--raw --event " LONGEST_NAME " sum long.data -o out"), 0);
	/* Its kind is no name, because several events may be of that kind */
	assert_int_equal(run(cmd_fold, "-i sum --event kprobe -o gone"), EXIT_FAILURE);
	assert_has("said", "has no event 'kprobe'. It has: cpu-clock, ", true);
}

static void bad_events_are_damage(void **state)
{
	static const struct kflame_rec_event bad[] = {
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "two words" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "bell\a" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "del\x7f" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "\xc3\xa4" },
		/* No NUL */
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "0123456789abcdef0123456789abcdef" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_VALUE + 1, .name = "unit" },
		{ .id = 2, .kind = 1, .unit = UINT32_MAX, .name = "unit" },
		/* The same id or name again */
		{ .id = FAULTS, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "again" },
		{ .id = 2, .kind = 1, .unit = KFLAME_UNIT_EVENTS, .name = "page-faults" },
		{ .id = TIMER, .kind = 0, .unit = KFLAME_UNIT_NS, .name = "again" },
		/* The timer has the id 0, and no other event has */
		{ .id = 2, .kind = 0, .unit = KFLAME_UNIT_NS, .name = "clock" },
		/* The whole name counts, not its beginning */
		{ .id = 2, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS, .name = "kprobe:f",
		  .full_name = "kprobe:f\a" },
		{ .id = 2, .kind = KFLAME_EVENT_KPROBE, .unit = KFLAME_UNIT_EVENTS, .name = "kprobe:f",
		  .full_name = "page-faults" },
		{ .id = 2, .kind = KFLAME_EVENT_TRACEPOINT, .unit = KFLAME_UNIT_EVENTS, .name = "tracepoint:a:b",
		  .full_name = LONGEST_NAME "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kflame_rec_event rec = bad[i];
		struct mk m = { 0 };

		rec.rec.type = KFLAME_REC_EVENT;
		records_add(&m.r, &rec, sizeof(rec), NULL, 0);
		assert_damaged(&m, 1);
	}
}

static void bad_timers_are_damage(void **state)
{
	struct kflame_rec_event other_kind = {
		.rec.type = KFLAME_REC_EVENT, .kind = KFLAME_EVENT_FAULTS, .name = "cpu-clock",
	};
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_EVENTS, "cpu-clock");
	records_add(&m.r, &other_kind, sizeof(other_kind), NULL, 0);
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->damaged, 2);
	assert_int_equal(p->nr_events, 1);
	profile_destroy(p);
}

static void a_ninth_event_is_damage(void **state)
{
	static const struct kflame_event_count count[] = { { .weight = 1, .samples = 1 } };
	struct mk m = { 0 };
	struct profile *p;
	char name[8];

	(void)state;
	begin(&m);
	for (uint32_t i = 0; i <= KFLAME_MAX_EVENTS; i++) {
		snprintf(name, sizeof(name), "event%u", i);
		mk_event(&m, i, i ? KFLAME_UNIT_EVENTS : KFLAME_UNIT_NS, name);
		if (i)
			mk_event_counts(&m, i, 0, count, 1);
	}
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->nr_events, KFLAME_MAX_EVENTS);
	/* The event, and its counts */
	assert_int_equal(p->damaged, 2);
	assert_int_equal(p->nr_counts, KFLAME_MAX_EVENTS - 1);
	profile_destroy(p);
}

static void bad_counts_are_damage(void **state)
{
	static const struct kflame_rec_event_counts bad[] = {
		{ .event = TIMER, .nr = 1 }, { .event = 2, .nr = 1 }, { .event = UINT32_MAX, .nr = 1 },
		/* More counts than fit */
		{ .event = FAULTS, .nr = 3 }, { .event = FAULTS, .nr = UINT32_MAX },
		{ .event = FAULTS, .nr = 1, .context = KFLAME_CTX_PREEMPTED + 1 },
	};
	struct kflame_rec_event_counts rec;
	struct mk m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rec = bad[i];
		rec.rec.type = KFLAME_REC_EVENT_COUNTS;
		records_add(&m.r, &rec, sizeof(rec), faults, sizeof(faults));
	}
	/* Shorter than the structure */
	rec = (struct kflame_rec_event_counts){ .rec.type = KFLAME_REC_EVENT_COUNTS, .event = FAULTS };
	records_add(&m.r, &rec, sizeof(rec) - 8, NULL, 0);
	assert_damaged(&m, sizeof(bad) / sizeof(bad[0]) + 1);
}

static void counts_before_their_event_are_damage(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	put_faults(&m, FAULTS);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->damaged, 1);
	assert_int_equal(p->nr_counts, 0);
	profile_destroy(p);
}

static void overflow_is_damage(void **state)
{
	const struct kflame_event_count big[] = {
		{ .weight = UINT64_MAX, .samples = 1, .kstack = AB },
		{ .weight = 1, .samples = UINT64_MAX, .kstack = AC },
		{ .weight = UINT64_MAX - 2, .samples = 1 },
	};
	struct mk m = { 0 };

	(void)state;
	/* Two counts that are there, one that is new */
	mk_event_counts(&m, FAULTS, 0, big, 1);
	mk_event_counts(&m, FAULTS, 0, big + 1, 1);
	mk_event_counts(&m, FAULTS, 0, big + 2, 1);
	assert_damaged(&m, 3);
	/* The other counts of the record are read: together they are what assert_damaged() expects */
	m = (struct mk){ 0 };
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, (struct kflame_event_count[]){ faults[0], big[0], big[2], faults[1] }, 4);
	mk_event_cpu(&m, FAULTS, 0, 7, 2);
	finish(&m, 0);
	assert_faults(read_it(&m), "faults");
}

static void bad_accounting_is_damage(void **state)
{
	struct mk m = { 0 };

	(void)state;
	mk_event_cpu(&m, TIMER, 0, 1, 0);
	mk_event_cpu(&m, 2, 0, 1, 0);
	assert_damaged(&m, 2);
}

static void bad_samples_are_damage(void **state)
{
	static const struct kflame_sample clock[] = { { 1000 * MS, 1, 0, CLOCK_AB, 0 } },
		fault[] = { { 1000 * MS, 1, 0, FAULTS_AB, 0 } }, none[] = { { 1000 * MS, 1, 0, 9, 0 } },
		weightless[] = { { 1000 * MS, 0, 0, FAULTS_AB, 0 } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	put_faults(&m, FAULTS);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, clock, 1);
	put_samples(&m, KFLAME_REC_SAMPLE, UPPER, fault, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, none, 1);
	put_samples(&m, KFLAME_REC_EVENT_SAMPLE, UPPER, weightless, 1);
	finish(&m, 0);
	p = read_timeline(&m);
	assert_int_equal(p->damaged, 4);
	assert_int_equal(p->nr_timeline, 17);
	assert_int_equal(p->ordered, 10);
	assert_int_equal(p->event_ordered, 7);
	profile_destroy(p);
}

/* No EVENT record of the timer, but samples of it */
static void samples_of_an_unnamed_timer_are_there(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_clock(&m);
	put_faults(&m, FAULTS);
	finish(&m, 0);
	p = mk_profile(&m);
	save(&m, "unnamed.data");
	assert_int_equal(p->nr_events, 2);
	assert_int_equal(profile_use_event(p, "p", NULL), 0);
	assert_int_equal(p->samples, 10);
	assert_null(profile_counted(p));
	profile_destroy(p);
	assert_int_equal(run(cmd_merge, "unnamed.data clock.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "task;a;b 20\n");
}

/* Cut at each record and within records, and read in two pieces there */
static void cut_streams_are_read(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make(&m);
	for (size_t len = 1; len < m.r.len; len += 4) {
		struct profile *p = mk_feed(m.r.data, len, m.r.len);

		if (p->state >= PROFILE_TRUNCATED && p->nr_events)
			assert_int_equal(profile_use_event(p, "p", NULL), 0);
		profile_destroy(p);
		p = mk_feed(m.r.data, m.r.len, len);
		assert_int_equal(p->state, PROFILE_WHOLE);
		assert_faults(p, "faults");
	}
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_events_are_damage),
		cmocka_unit_test(long_names_are_whole),
		cmocka_unit_test(bad_timers_are_damage),
		cmocka_unit_test(a_ninth_event_is_damage),
		cmocka_unit_test(bad_counts_are_damage),
		cmocka_unit_test(counts_before_their_event_are_damage),
		cmocka_unit_test(overflow_is_damage),
		cmocka_unit_test(bad_accounting_is_damage),
		cmocka_unit_test(bad_samples_are_damage),
		cmocka_unit_test(samples_of_an_unnamed_timer_are_there),
		cmocka_unit_test(cut_streams_are_read),
	};

	return cmocka_run_group_tests_name("damaged events", tests, mkevents_setup, leave_scratch);
}
