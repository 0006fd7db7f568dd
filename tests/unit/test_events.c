// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_events.c - several events in one profile: reading, choosing one, copies, views
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
#include "profile/addresses.h"
#include "record/options.h"
#include "record/tally.h"
#include "views/summary.h"

/* ------------------------------------------------------- reading and choosing */

static void assert_apart(uint32_t event)
{
	struct mk m = { 0 };
	struct profile *p;

	make_named(&m, event, KFLAME_UNIT_EVENTS, "page-faults");
	p = read_it(&m);
	assert_int_equal(p->damaged + p->unknown + p->lost_stacks, 0);
	assert_int_equal(p->samples, 10);
	assert_int_equal(p->weight_ns, 10 * STEP);
	assert_int_equal(p->nr_events, 2);
	assert_string_equal(p->events[1].name, "page-faults");
	assert_int_equal(p->events[1].samples, 7);
	assert_int_equal(p->events[1].weight, 7);
	assert_int_equal(p->events[1].nr_cpus, 1);
	/* The timer and page faults have the stack AB in common */
	assert_int_equal(p->nr_counts, 3);
	assert_null(profile_counted(p));
	profile_destroy(p);
}

static void sums_are_of_one_event(void **state)
{
	(void)state;
	assert_apart(FAULTS);
	/* Counts of these ids and of the timer have the same hash */
	assert_apart(1u << 24);
	assert_apart(UINT32_MAX << 24);
}

/* @event: a name of the timer, or NULL */
static void assert_clock(const char *event)
{
	struct mk m = { 0 }, alone = { 0 };
	struct profile *p, *want;

	make(&m);
	make_clock(&alone);
	p = read_it(&m);
	want = read_it(&alone);
	assert_int_equal(profile_use_event(p, "p", event), 0);
	assert_int_equal(profile_use_event(want, "want", event), 0);
	assert_int_equal(p->samples, want->samples);
	assert_int_equal(p->weight_ns, want->weight_ns);
	assert_int_equal(p->late_ns, want->late_ns);
	assert_int_equal(p->nr_counts, want->nr_counts);
	for (size_t i = 0; i < p->nr_counts; i++)
		assert_memory_equal(&p->counts[i], &want->counts[i], sizeof(p->counts[i]));
	assert_int_equal(p->nr_cpus, want->nr_cpus);
	assert_memory_equal(p->cpus, want->cpus, p->nr_cpus * sizeof(*p->cpus));
	assert_null(profile_counted(p));
	profile_destroy(p);
	profile_destroy(want);
}

static void timer_is_the_default(void **state)
{
	(void)state;
	assert_clock(NULL);
	assert_clock("cpu-clock");
	assert_clock("clock");
	assert_clock("timer");
}

static void page_faults_are_counted(void **state)
{
	static const char *const names[] = { "page-faults", "faults" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct mk m = { 0 };

		make(&m);
		assert_faults(read_it(&m), names[i]);
	}
}

static void page_faults_alone_are_the_default(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_faults(&m);
	assert_faults(read_it(&m), NULL);
	assert_int_equal(run(cmd_fold, "-i faults.data -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
}

/* Bytes are shown in place of samples */
static void weights_become_samples(void **state)
{
	static const struct kflame_event_count bytes[] = { { .weight = 4096, .samples = 2, .kstack = AB } };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	begin(&m);
	mk_event(&m, 3, KFLAME_UNIT_BYTES, "allocations");
	mk_event_counts(&m, 3, 0, bytes, 1);
	finish(&m, 0);
	p = read_it(&m);
	assert_int_equal(p->events[0].samples, 2);
	assert_int_equal(profile_use_event(p, "p", "allocations"), 0);
	assert_string_equal(profile_counted(p), "bytes");
	assert_int_equal(p->samples, 4096);
	assert_int_equal(p->counts[0].samples, 4096);
	assert_int_equal(p->weight_ns + p->counts[0].weight_ns, 0);
	profile_destroy(p);
}

static void other_names_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--event nonsense -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "kflame.data has no event 'nonsense'. It has: cpu-clock, page-faults\n"));
	assert_int_equal(run(cmd_fold, "--event page-faults -i clock.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "clock.data has no event 'page-faults'. It has: cpu-clock\n"));
	assert_int_equal(run(cmd_fold, "--event cpu-clock -i faults.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, "It has: page-faults\n"));
}

static void the_list_has_all_names(void **state)
{
	char name[32];

	(void)state;
	save_many(name);
	assert_int_equal(run(cmd_fold, "--event nonsense -i many.data -o out"), EXIT_FAILURE);
	assert_non_null(strstr(said, name));
	assert_non_null(strstr(said, ", cpu-clock\n"));
	assert_int_equal(run(cmd_convert, "-i many.data -o out.pb.gz"), 0);
}

/* A recorder that keeps addresses only, and reads the samples later */
static void a_recorder_counts_each_event(void **state)
{
	FILE *f = fopen("kflame.data", "r");
	struct mk m = { 0 };

	(void)state;
	assert_non_null(f);
	make(&m);
	for (int later = 0; later < 2; later++) {
		struct profile *p = profile_create();

		assert_non_null(p);
		assert_int_equal(profile_leave_out_stacks(p), 0);
		if (later)
			profile_put_off_samples(p);
		assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
		assert_int_equal(p->nr_events, 2);
		assert_int_equal(p->events[1].samples, later ? 0 : 7);
		assert_int_equal(profile_take_samples(p, fileno(f), m.r.len), 0);
		assert_int_equal(profile_finish(p), 0);
		assert_int_equal(p->events[1].samples, 7);
		assert_int_equal(p->samples, 10);
		assert_int_equal(books_check(p, NULL), 0);
		/* b, c, and a, which calls both */
		assert_int_equal(p->addresses->nr_kernel, 3);
		profile_destroy(p);
	}
	fclose(f);
	mk_free(&m);
}

/* ----------------------------------------------------- copies and recording */

static void add_copied(struct tally *t, uint32_t event, uint64_t time_ns, uint64_t ip)
{
	const struct tally_count c = { .rec = {
		.samples = 1, .weight_ns = event ? 1 : STEP, .tgid = 101, .comm = "task",
	}, .event = event };
	const struct tally_frames kernel = { .nr = 1, .ip = &ip }, none = { 0 };

	assert_int_equal(tally_add(t, &c, time_ns, &kernel, &none), 0);
}

static void copies_are_counted_by_event(void **state)
{
	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct tally copies = { 0 };
		struct mk m = { 0 };
		struct profile *p;
		uint64_t nr;

		begin(&m);
		mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
		mk_event(&m, FAULTS, KFLAME_UNIT_EVENTS, "page-faults");
		/* The same stack and task at both events */
		add_copied(&copies, FAULTS, timed ? 1030 * MS : 0, CODE + 4);
		add_copied(&copies, TIMER, timed ? 1025 * MS : 0, CODE + 4);
		add_copied(&copies, FAULTS, timed ? 1020 * MS : 0, CODE + 4);
		nr = m.r.nr;
		tally_tell(&copies, &m.r);
		/* A stack, two counts, and one record of samples for each event */
		assert_int_equal(m.r.nr - nr, timed ? 5 : 3);
		/* The next batch has ids of its own */
		add_copied(&copies, FAULTS, timed ? 1040 * MS : 0, CODE + 0x104);
		tally_tell(&copies, &m.r);
		tally_exit(&copies);
		finish(&m, 0);
		write_file("copied.data", m.r.data, m.r.len);
		p = read_timeline(&m);
		assert_int_equal(p->damaged + p->lost_stacks, 0);
		assert_int_equal(p->samples, 1);
		assert_int_equal(p->weight_ns, STEP);
		assert_int_equal(p->events[1].samples, 3);
		assert_int_equal(p->events[1].weight, 3);
		assert_int_equal(p->nr_counts, 3);
		assert_int_equal(p->ordered_by_tool, timed ? 1 : 0);
		assert_int_equal(p->event_ordered_by_tool, timed ? 3 : 0);
		assert_int_equal(p->ordered_ns, timed ? STEP : 0);
		assert_int_equal(p->nr_timeline, timed ? 4 : 0);
		profile_destroy(p);
		assert_int_equal(run(cmd_fold, "-i copied.data --event faults -o out"), 0);
		assert_out("out", "task;a 2\ntask;b 1\n");
		if (!timed)
			continue;
		assert_int_equal(run(cmd_fold, "-i copied.data --event faults --from 25ms -o out"), 0);
		assert_out("out", "task;a 1\ntask;b 1\n");
	}
}

static void lists_of_events(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint32_t nr, first;
	} lists[] = {
		{ "clock,faults", 0, 2, KFLAME_EVENT_TIMER }, { "page-faults,cpu-clock", 0, 2, KFLAME_EVENT_FAULTS },
		{ "faults", 0, 1, KFLAME_EVENT_FAULTS }, { "timer", 0, 1, KFLAME_EVENT_TIMER },
		{ "faults,faults", -EEXIST, 0, 0 }, { "clock,timer", -EEXIST, 0, 0 }, { "", -EINVAL, 0, 0 },
		{ "a", -EINVAL, 0, 0 }, { "faults,", -EINVAL, 0, 0 }, { ",faults", -EINVAL, 0, 0 },
		{ "kprobe:vfs_read,clock", 0, 2, KFLAME_EVENT_KPROBE }, { "kprobe:f+0x10", 0, 1, KFLAME_EVENT_KPROBE },
		{ "kprobe:f,kprobe:g,kprobe:f+1", 0, 3, KFLAME_EVENT_KPROBE },
		{ "tracepoint:sched:sched_switch", 0, 1, KFLAME_EVENT_TRACEPOINT },
		{ "kprobe:f,kprobe:f", -EEXIST, 0, 0 }, { "kprobe", -EINVAL, 0, 0 }, { "kprobe:", -EINVAL, 0, 0 },
		{ "kprobe:f+", -EINVAL, 0, 0 }, { "kprobe:f+x", -EINVAL, 0, 0 }, { "kprobe:f+1x", -EINVAL, 0, 0 },
		{ "kprobe:vfs_*,kprobe:f?", 0, 2, KFLAME_EVENT_KPROBE }, { "kprobe:*,kprobe:*", -EEXIST, 0, 0 },
		{ "kprobe:vfs_*+1", -EINVAL, 0, 0 }, { "kprobe:+1", -EINVAL, 0, 0 }, { "kprobe:f+-1", -EINVAL, 0, 0 },
		{ "kprobe:f+4294967295", 0, 1, KFLAME_EVENT_KPROBE }, { "kprobe:f+4294967296", -EINVAL, 0, 0 },
		{ "kprobe:f+99999999999999999999", -EINVAL, 0, 0 }, { "kprobe:f g", -EINVAL, 0, 0 },
		{ "kprobe:\xc3\xa4", -EINVAL, 0, 0 }, { "tracepoint", -EINVAL, 0, 0 },
		{ "tracepoint:sched", -EINVAL, 0, 0 }, { "tracepoint::f", -EINVAL, 0, 0 },
		{ "tracepoint:a:", -EINVAL, 0, 0 }, { "tracepoint:a:b:c", -EINVAL, 0, 0 },
		{ "tracepoint:../a:b", -EINVAL, 0, 0 }, { "tracepoint:a:../b", -EINVAL, 0, 0 },
		{ "tracepoint:a:b..c,outstanding:a:b..c", 0, 2, KFLAME_EVENT_PAIR }, { "outstanding:a:b", -EINVAL, 0, 0 },
		{ "outstanding:a..b", -EINVAL, 0, 0 }, { "outstanding:", -EINVAL, 0, 0 },
		{ "kprobe:a,kprobe:b,kprobe:c,kprobe:d,kprobe:e,kprobe:f,kprobe:g,kprobe:h", 0, 8, KFLAME_EVENT_KPROBE },
		{ "clock,kprobe:a,kprobe:b,kprobe:c,kprobe:d,kprobe:e,kprobe:f,kprobe:g,kprobe:h", -E2BIG, 0, 0 },
		{ "clock,,faults", -EINVAL, 0, 0 }, { "Faults", -EINVAL, 0, 0 }, { "clock faults", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct record_options o = { 0 };

		assert_int_equal(parse_events(lists[i].text, &o), lists[i].err);
		if (!lists[i].err) {
			assert_int_equal(o.nr_events, lists[i].nr);
			assert_int_equal(o.events[0].kind, lists[i].first);
		}
	}
	/* The longest name, and one byte more */
	for (size_t len = KFLAME_EVENT_NAME - 1; len <= KFLAME_EVENT_NAME; len++) {
		struct record_options o = { 0 };
		char text[KFLAME_EVENT_NAME + 1];

		memset(text, 'f', len);
		memcpy(text, "kprobe:", 7);
		text[len] = 0;
		assert_int_equal(parse_events(text, &o), len < KFLAME_EVENT_NAME ? 0 : -ENAMETOOLONG);
	}
	/* -e may come twice */
	struct record_options o = { 0 };

	assert_int_equal(parse_events("faults", &o), 0);
	assert_int_equal(parse_events("faults", &o), -EEXIST);
	assert_int_equal(parse_events("clock", &o), 0);
	assert_int_equal(o.nr_events, 2);
}

static void names_of_kinds(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < KFLAME_NR_EVENTS; i++)
		if (profile_event_name(i))
			assert_int_equal(profile_event_kind(profile_event_name(i)), i);
	assert_null(profile_event_name(KFLAME_NR_EVENTS));
	assert_int_equal(profile_event_kind("nonsense"), KFLAME_NR_EVENTS);
}

/* -------------------------------------------------------------------- views */

static void headers_say_what_is_counted(void **state)
{
	struct mk m = { 0 };
	struct tree *t = tree_create();
	struct summary sum;
	struct profile *p;
	char *line;

	(void)state;
	make(&m);
	p = read_it(&m);
	assert_non_null(t);
	assert_int_equal(profile_use_event(p, "p", "faults"), 0);
	summary_make(&sum, p, t);
	line = summary_line(&sum);
	assert_string_equal(line, "1.0 s, 1 CPU, 7 page-faults, 2 lost");
	free(line);
	profile_destroy(p);
	tree_destroy(t);
	assert_int_equal(run(cmd_report, "--event faults -o out"), 0);
	assert_has("out", "\nsampled  1.0 s, 1 CPU, 7 page-faults, 2 lost\n", true);
	assert_has("out", "7 page-faults are few: record for longer; ", true);
	assert_has("out", "\ntime ", false);
	assert_has("out", "\nlate ", false);
	assert_has("out", "\nidle ", false);
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", " 10 samples\n", true);
	assert_has("out", "\ntime ", true);
	assert_has("out", "\nlate ", true);
}

static void commands_show_one_event(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", "task;a;b 10\n");
	assert_int_equal(run(cmd_fold, "--event page-faults -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
	assert_int_equal(run(cmd_convert, "--to collapsed --event page-faults -o out"), 0);
	assert_out("out", "task;a;b 3\ntask;a;c 4\n");
	assert_int_equal(run(cmd_flame, "--event page-faults -o out"), 0);
	assert_has("out", "4 page-faults\n", true);
	assert_has("out", " samples\n", false);
	assert_int_equal(run(cmd_report, "--json --event page-faults -o out"), 0);
	assert_has("out", "\"counted\":{\"samples\":7,\"ns\":0}", true);
	assert_int_equal(run(cmd_flame, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
	assert_int_equal(run(cmd_convert, "--to chrome --event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "holds no times", true);
	assert_int_equal(run(cmd_fold, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "there are no times to show: page-faults have no duration. Leave out --time\n", true);
	assert_int_equal(run(cmd_report, "--event page-faults --time -o gone"), EXIT_FAILURE);
	assert_has("said", "page-faults have no duration", true);
	assert_int_equal(access("gone", F_OK), -1);
	assert_int_equal(run(cmd_fold, "--time -o out"), 0);
	assert_int_equal(run(cmd_report, "--time -o out"), 0);
}

/* A name may have any printable byte but a space */
static void names_are_quoted(void **state)
{
	struct mk m = { 0 };

	(void)state;
	make_named(&m, FAULTS, KFLAME_UNIT_EVENTS, "<b>&\"'\\</script>");
	save(&m, "names.data");
	assert_int_equal(run(cmd_flame, "-i names.data --event faults -o out.svg"), 0);
	assert_has("out.svg", "<b>", false);
	assert_has("out.svg", "4 &lt;b&gt;&amp;&quot;&#39;\\&lt;/script&gt;\n", true);
	assert_int_equal(system("python3 -c 'import xml.dom.minidom as x; x.parse(\"out.svg\")'"), 0);
	assert_int_equal(run(cmd_convert, "-i names.data -o out.pb.gz"), 0);
	assert_int_equal(run(cmd_diff, "names.data names.data --event faults --flame -o out.svg"), 0);
	assert_has("out.svg", "<b>", false);
	assert_int_equal(system("python3 -c 'import xml.dom.minidom as x; x.parse(\"out.svg\")'"), 0);
	assert_int_equal(run(cmd_diff, "names.data names.data --event faults --json -o out.json"), 0);
	assert_int_equal(system("python3 -m json.tool out.json >tool.json"), 0);
}

static void only_the_same_events_are_compared(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_diff, "kflame.data kflame.data --event page-faults -o out"), 0);
	assert_has("out", "7 page-faults", true);
	assert_int_equal(run(cmd_diff, "clock.data faults.data -o gone"), EXIT_FAILURE);
	assert_has("said", "clock.data has counts of cpu-clock, faults.data of page-faults: name one event that both have, with --event", true);
	assert_int_equal(run(cmd_diff, "kflame.data faults.data --event page-faults -o out"), 0);
	assert_int_equal(run(cmd_diff, "kflame.data clock.data -o out"), 0);
	assert_has("out", "10 samples", true);
	assert_int_equal(access("gone", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_of_one_event),
		cmocka_unit_test(timer_is_the_default),
		cmocka_unit_test(page_faults_are_counted),
		cmocka_unit_test(page_faults_alone_are_the_default),
		cmocka_unit_test(weights_become_samples),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(the_list_has_all_names),
		cmocka_unit_test(a_recorder_counts_each_event),
		cmocka_unit_test(copies_are_counted_by_event),
		cmocka_unit_test(lists_of_events),
		cmocka_unit_test(names_of_kinds),
		cmocka_unit_test(headers_say_what_is_counted),
		cmocka_unit_test(commands_show_one_event),
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(only_the_same_events_are_compared),
	};

	return cmocka_run_group_tests_name("events", tests, mkevents_setup, leave_scratch);
}
