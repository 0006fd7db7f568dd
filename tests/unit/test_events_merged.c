// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events_merged.c - several events in one profile: accounting and merging
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
#include "profile/accounting.h"

/* --------------------------------------------------------------- accounting */

/* Reads make() after @change.  Return: what is wrong, to be freed */
static char *check_after(void (*change)(struct profile *p), unsigned int *wrong)
{
	struct mk m = { 0 };
	struct profile *p;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	make(&m);
	p = read_it(&m);
	if (change)
		change(p);
	*wrong = books_check(p, out);
	fclose(out);
	profile_destroy(p);
	return text;
}

static void cpu_samples(struct profile *p) { p->events[1].cpus[0].samples++; }
static void cpu_counted(struct profile *p) { p->events[1].cpus[0].counted--; }
static void cpu_lost(struct profile *p) { p->events[1].cpus[0].lost[KFLAME_LOST_RING]++; }
static void cpu_weight(struct profile *p) { p->events[1].cpus[0].weight_ns++; }
static void cpu_counted_weight(struct profile *p) { p->events[1].cpus[0].counted_ns--; }
static void cpu_lost_weight(struct profile *p) { p->events[1].cpus[0].lost_ns[KFLAME_LOST_RING]++; }
static void event_samples(struct profile *p) { p->events[1].samples++; }
static void event_weight(struct profile *p) { p->events[1].weight--; }
static void timed_samples(struct profile *p) { p->event_ordered--; }
static void timer_samples(struct profile *p) { p->samples++; }

static void accounting_names_what_is_wrong(void **state)
{
	static const struct {
		void (*change)(struct profile *p);
		const char *named;
	} wrongs[] = {
		{ cpu_samples, "  page-faults, CPU 0: samples 10 is not counted + lost 9 (+1)\n" },
		{ cpu_counted, "  page-faults, CPU 0: samples 9 is not counted + lost 8 (+1)\n" },
		{ cpu_counted, "  page-faults: samples in it 7 is not samples counted 6 (+1)\n" },
		{ cpu_lost, "  page-faults, CPU 0: samples 9 is not counted + lost 10 (-1)\n" },
		{ cpu_weight, "  page-faults, CPU 0: weight of the samples 10 is not counted + lost 9 (+1)\n" },
		{ cpu_counted_weight, "  page-faults: weight in it 7 is not weight counted 6 (+1)\n" },
		{ cpu_lost_weight, "  page-faults, CPU 0: weight of the samples 9 is not counted + lost 10 (-1)\n" },
		{ event_samples, "  page-faults: samples in it 8 is not samples counted 7 (+1)\n" },
		{ event_weight, "  page-faults: weight in it 6 is not weight counted 7 (-1)\n" },
		{ timed_samples, "  profile: samples with times in it 16 is not samples with times 17 (-1)\n" },
		{ timer_samples, "  profile: samples in it 11 is not samples counted 10 (+1)\n" },
	};
	unsigned int wrong;
	char *text;

	(void)state;
	text = check_after(NULL, &wrong);
	assert_string_equal(text, "");
	assert_int_equal(wrong, 0);
	free(text);
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		text = check_after(wrongs[i].change, &wrong);
		assert_true(wrong > 0);
		if (!strstr(text, wrongs[i].named))
			fail_msg("no '%s' in:\n%s", wrongs[i].named, text);
		/* Of the other event nothing is wrong */
		assert_null(strstr(text, wrongs[i].change == timer_samples ? "page-faults" : "  CPU 0"));
		free(text);
	}
}

/* ------------------------------------------------------------------ merging */

/* @faults: how many page faults the sum has; @samples: of the timer */
static void assert_sum(const char *parts, uint64_t samples, uint64_t nr_faults)
{
	static const struct naming every = { .every_event = true };
	char line[128];
	struct profile *p;
	uint64_t seen = 0;

	snprintf(line, sizeof(line), "%s -o sum", parts);
	assert_int_equal(run(cmd_merge, line), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->damaged + p->unknown + p->lost_stacks, 0);
	assert_int_equal(p->samples, samples);
	assert_int_equal(p->weight_ns, samples * STEP);
	assert_int_equal(!profile_find_event(p, 0), !samples);
	for (size_t i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, "page-faults")) {
			assert_int_equal(p->events[i].samples, nr_faults);
			assert_int_equal(p->events[i].weight, nr_faults);
			assert_int_equal(p->events[i].unit, KFLAME_UNIT_EVENTS);
			seen++;
		}
	assert_int_equal(seen, nr_faults > 0);
	assert_int_equal(books_check(p, stderr), 0);
	profile_destroy(p);
}

/* In this profile page faults have the id 2, and another event has the id 1 */
static void make_other(struct mk *m)
{
	static const struct kflame_event_count other[] = { { .weight = 50, .samples = 5, .kstack = AB } };

	begin(m);
	mk_event(m, 2, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event(m, 1, KFLAME_UNIT_BYTES, "allocations");
	mk_event(m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	put_clock(m);
	put_faults(m, 2);
	mk_event_counts(m, 1, 0, other, 1);
	mk_cpu(m, 0, 10, 10 * STEP);
	mk_event_cpu(m, 2, 0, 3, 0);
	mk_event_cpu(m, 2, 5, 4, 1);
	mk_event_cpu(m, 1, 0, 5, 0);
	((struct kflame_rec_event_cpu *)(m->r.data + m->r.len))[-1].books.weight_ns = 50;
	((struct kflame_rec_event_cpu *)(m->r.data + m->r.len))[-1].books.counted_ns = 50;
	finish(m, 0);
}

static void events_are_merged_by_name(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_other(&m);
	save(&m, "other.data");
	assert_sum("kflame.data other.data", 20, 14);
	assert_int_equal(run(cmd_fold, "-i sum --event faults -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
	assert_int_equal(run(cmd_fold, "-i sum --event allocations -o out"), 0);
	assert_out("out", "task;a;b 50\n");
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "task;a;b 20\n");
	assert_sum("other.data kflame.data other.data", 30, 21);
	/* A sum of sums */
	assert_int_equal(run(cmd_merge, "other.data kflame.data -o first"), 0);
	assert_sum("first kflame.data", 30, 21);
}

static void a_timer_alone_is_merged_with_events(void **state)
{
	(void)state;
	assert_sum("clock.data kflame.data", 20, 7);
	assert_sum("kflame.data clock.data", 20, 7);
	assert_sum("clock.data faults.data", 10, 7);
	assert_sum("faults.data clock.data", 10, 7);
	assert_sum("faults.data faults.data", 0, 14);
	assert_sum("clock.data clock.data", 20, 0);
}

/* A timer without samples is still the default: nothing ran */
static void an_idle_timer_stays_in_the_sum(void **state)
{
	struct mk m = { 0 };

	(void)state;
	begin(&m);
	mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(&m, FAULTS);
	finish(&m, 0);
	save(&m, "idle.data");
	assert_int_equal(run(cmd_merge, "faults.data idle.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "");
	assert_int_equal(run(cmd_fold, "-i sum --event faults -o out"), 0);
	assert_out("out", "task;a;b 6\ntask;a;c 8\n");
}

static void sums_too_large_are_refused(void **state)
{
	const struct kflame_event_count big[] = { { .weight = UINT64_MAX - 5, .samples = 1, .kstack = AB } };
	struct mk m = { 0 };
	char name[32];

	(void)state;
	save_many(name);
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	mk_event_counts(&m, FAULTS, 0, big, 1);
	finish(&m, 0);
	save(&m, "big.data");
	assert_int_equal(run(cmd_merge, "kflame.data big.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with big.data, the counts do not fit in 64 bits", true);
	assert_int_equal(run(cmd_merge, "kflame.data many.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with many.data, these are profiles of more than 8 events", true);
	/* Eight events, and the timer */
	assert_int_equal(run(cmd_merge, "many.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with many.data, these are profiles of more than 8 events", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* Without the accounting of any input there is none in the sum */
static void missing_accounting_stays_missing(void **state)
{
	static const struct naming every = { .every_event = true };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
	put_faults(&m, FAULTS);
	finish(&m, 0);
	save(&m, "without.data");
	assert_int_equal(run(cmd_merge, "without.data without.data -o sum"), 0);
	p = open_profile("sum", &every);
	assert_non_null(p);
	assert_false(books_are_there(p));
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accounting_names_what_is_wrong),
		cmocka_unit_test(events_are_merged_by_name),
		cmocka_unit_test(a_timer_alone_is_merged_with_events),
		cmocka_unit_test(an_idle_timer_stays_in_the_sum),
		cmocka_unit_test(sums_too_large_are_refused),
		cmocka_unit_test(missing_accounting_stays_missing),
	};

	return cmocka_run_group_tests_name("merged events", tests, mkevents_setup, leave_scratch);
}
