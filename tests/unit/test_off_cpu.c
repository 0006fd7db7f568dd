// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_off_cpu.c - the event off-cpu: its options, its timeline, and how each view shows waits
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
#include <zlib.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "parse_record.h"
#include "pprof.pb-c.h"
#include "profile/accounting.h"
#include "profile/waits.h"
#include "run_command.h"

#define MS	1000000ull
#define CODE	0xffffffff81000000ull
#define UPPER	(1ull << 32)	/* of the ids of all counts */
#define STOP	1200		/* ms */

enum { AB = 1, AC };
enum { TIMER, WAITS };

/*
 * All samples of make(), in order of time: a thread waits for 30 ms, is woken, and waits 2 ms for a CPU. It waits
 * 10 ms for a disk. Another thread takes its CPU for 1 ms. At the end it is stopped, for 100 ms.
 */
static const struct wait {
	uint32_t context;
	uint64_t stack, weight, time;	/* times in ms */
} waits[] = {
	{ KFLAME_CTX_INTERRUPTIBLE, AB, 30, 1048 },
	{ KFLAME_CTX_RUNNABLE, AB, 2, 1050 },
	{ KFLAME_CTX_IOWAIT, AC, 10, 1070 },
	{ KFLAME_CTX_PREEMPTED, AB, 1, 1080 },
	{ KFLAME_CTX_STOPPED | KFLAME_CTX_STILL, AC, 100, STOP },
};

#define NR_WAITS	(sizeof(waits) / sizeof(waits[0]))
#define ALL_WAITS	143	/* ms */

static const char folded[] =
	"task;a;b 30000000\n"
	"task;a;b;[preempted] 1000000\n"
	"task;a;b;[runnable] 2000000\n"
	"task;a;c 10000000\n"
	"task;a;c;[still waiting] 100000000\n";

static void put_waits(struct mk *m)
{
	struct kflame_rec_sample rec = { .rec.type = KFLAME_REC_EVENT_SAMPLE, .counts = UPPER, .nr = NR_WAITS };
	struct kflame_sample s[NR_WAITS];

	for (size_t i = 0; i < NR_WAITS; i++) {
		const struct wait *w = &waits[i];

		mk_wait(m, WAITS, UPPER | (i + 1), w->context, &(struct kflame_event_count){
			.weight = w->weight * MS, .samples = 1, .kstack = w->stack });
		s[i] = (struct kflame_sample){ .time_ns = w->time * MS, .weight_ns = w->weight * MS,
			.count = (uint32_t)i + 1 };
	}
	records_add(&m->r, &rec, sizeof(rec), s, sizeof(s));
}

/* The accounting: two more waits had the wrong length, and @full had no room */
static void put_books(struct mk *m, uint64_t full)
{
	struct kflame_rec_event_cpu c = {
		.rec.type = KFLAME_REC_EVENT_CPU, .event = WAITS,
		.books = { .samples = NR_WAITS + 2 + full, .counted = NR_WAITS,
			   .weight_ns = (ALL_WAITS + 3) * MS, .counted_ns = ALL_WAITS * MS },
	};

	c.books.lost[KFLAME_LOST_LENGTH] = 2;
	c.books.lost_ns[KFLAME_LOST_LENGTH] = 3 * MS;
	c.books.lost[KFLAME_LOST_WAITS] = full;
	records_add(&m->r, &c, sizeof(c), NULL, 0);
}

/* @untimed: samples of the timer, which have no times */
static void finish(struct mk *m, uint64_t untimed, const char *path)
{
	struct kflame_rec_stats s = { .rec.type = KFLAME_REC_STATS, .stop_ns = STOP * MS };

	s.count[KFLAME_STAT_ORDERED] = NR_WAITS;
	s.count[KFLAME_STAT_ORDER_FULL] = untimed;
	records_add(&m->r, &s, sizeof(s), NULL, 0);
	mk_functions(m, CODE, (const char *const[]){ "a", "b", "c", NULL });
	mk_end(m);
	assert_false(m->r.failed);
	write_file(path, m->r.data, m->r.len);
	mk_free(m);
}

static void make(const char *path, bool has_timer, uint64_t full)
{
	struct mk m = { 0 };

	mk_header(&m);
	mk_session(&m);
	((struct kflame_rec_session *)(m.r.data + sizeof(struct kflame_file_header)))->flags |= KFLAME_CF_TIMELINE;
	mk_stack(&m, AB, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_stack(&m, AC, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x204, CODE + 4 }, 2);
	if (has_timer)
		mk_event(&m, TIMER, KFLAME_UNIT_NS, "cpu-clock");
	mk_off_cpu(&m, WAITS);
	if (has_timer)
		mk_count(&m, 0, AB, 0, 10, 100 * MS);
	put_waits(&m);
	if (has_timer)
		mk_cpu(&m, 0, 10, 100 * MS);
	put_books(&m, full);
	finish(&m, has_timer ? 10 : 0, path);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data", false, 0);
	make("both.data", true, 1);
	return 0;
}

static char *text_of(const char *path)
{
	char *text = golden_read(path);

	assert_non_null(text);
	return text;
}

/* ------------------------------------------------------------------ options */

static void lengths(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t ns;
	} table[] = {
		{ "500ns", 0, 500 }, { "1us", 0, 1000 }, { "2.5ms", 0, 2500000 }, { "1s", 0, 1000000000 },
		{ "0.000000001s", 0, 1 }, { "1.ms", 0, 1000000 }, { "9223372035s", 0, 9223372035000000000 },
		{ "100", -EDOM, 0 }, { "0", -EDOM, 0 }, { "1.5", -EDOM, 0 }, { "0us", -EINVAL, 0 },
		{ "", -EINVAL, 0 }, { "us", -EINVAL, 0 }, { "1 us", -EINVAL, 0 }, { "-1us", -EINVAL, 0 },
		{ "1m", -EINVAL, 0 }, { "0.0000000001s", -EINVAL, 0 }, { "9223372037s", -EINVAL, 0 },
		{ "99999999999999999999ns", -EINVAL, 0 }, { "1usec", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t ns = 0;

		if (parse_length(table[i].text, &ns) != table[i].err || (!table[i].err && ns != table[i].ns))
			fail_msg("%s: %llu", table[i].text, (unsigned long long)ns);
	}
}

static void options(void **state)
{
	const struct {
		char **argv;
		uint32_t nr, first, last;
	} table[] = {
		{ ARGS("--off-cpu"), 1, KFLAME_EVENT_OFFCPU, KFLAME_EVENT_OFFCPU },
		{ ARGS("-e", "cpu-clock", "--off-cpu"), 2, KFLAME_EVENT_TIMER, KFLAME_EVENT_OFFCPU },
		{ ARGS("--off-cpu", "-e", "cpu-clock"), 2, KFLAME_EVENT_TIMER, KFLAME_EVENT_OFFCPU },
		{ ARGS("--off-cpu", "-e", "off-cpu,faults"), 2, KFLAME_EVENT_OFFCPU, KFLAME_EVENT_FAULTS },
		{ ARGS("-e", "offcpu", "--off-cpu", "--off-cpu"), 1, KFLAME_EVENT_OFFCPU, KFLAME_EVENT_OFFCPU },
		{ ARGS("--off-cpu", "--", "sleep", "1"), 1, KFLAME_EVENT_OFFCPU, KFLAME_EVENT_OFFCPU },
	};
	struct record_options o;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(record_options_parse(&o, count(table[i].argv), table[i].argv), 0);
		assert_int_equal(o.nr_events, table[i].nr);
		assert_int_equal(o.events[0].kind, table[i].first);
		assert_int_equal(o.events[o.nr_events - 1].kind, table[i].last);
		assert_int_equal(o.min_block_ns + o.max_block_ns, 0);
		record_options_exit(&o);
	}
	char **argv = ARGS("--min-block", "1us", "-e", "off-cpu", "--max-block=1us");

	assert_int_equal(record_options_parse(&o, count(argv), argv), 0);
	assert_int_equal(o.min_block_ns, 1000);
	assert_int_equal(o.max_block_ns, 1000);
	record_options_exit(&o);
}

static void wrong_options(void **state)
{
	(void)state;
	assert_refused(parse_record, "--off-cpu --min-block 100", "--min-block 100: the unit is missing: add ns, us, ms or s");
	assert_refused(parse_record, "--off-cpu --max-block 1h", "--max-block 1h: this is no length of a wait");
	assert_refused(parse_record, "--min-block 1us", "--min-block chooses waits by their length, and no waits are recorded: add --off-cpu");
	assert_refused(parse_record, "-e faults --max-block 1us", "--max-block chooses waits by their length");
	assert_refused(parse_record, "--off-cpu --min-block 2us --max-block 1us", "--max-block is shorter than --min-block");
	assert_refused(parse_record, "--off-cpu -U", "leave out -U");
	assert_refused(parse_record, "-e waits", "there are cpu-clock, page-faults, off-cpu, off-cpu-sampled, kprobe:");
	assert_refused(parse_record, "--off-cpu=sample", "there are --off-cpu, which sees each wait, and --off-cpu=sampled");
	assert_refused(cmd_flame, "--off-cpu", "say what to record");
	assert_refused(cmd_flame, "--min-block 1us", "say what to record");
	assert_refused(cmd_flame, "--off-cpu -p 1 -i x", "give one of them");
	assert_refused(cmd_flame, "--min-block 1us -p 1", "add --off-cpu");
	assert_refused(cmd_flame, "--off-cpu -p 1 --max-block 7", "the unit is missing");
}

/* Samples of waits have no begin and no end: an option that needs them is not ignored */
static void wrong_options_of_samples(void **state)
{
	(void)state;
	assert_refused(parse_record, "--off-cpu=sampled --min-block 1us",
		       "--min-block needs the begin and the end of each wait, which off-cpu-sampled does not see: use --off-cpu, or leave out --min-block");
	assert_refused(parse_record, "-e cpu-clock,off-cpu-sampled --max-block 1s", "or leave out --max-block");
	assert_refused(parse_record, "--wakers --off-cpu=sampled", "or leave out --wakers");
	assert_refused(parse_record, "--off-cpu=sampled --wall", "or leave out --wall");
	assert_refused(parse_record, "--off-cpu --off-cpu=sampled", "measure the same waits: leave out one of them");
	assert_refused(parse_record, "-e off-cpu,off-cpu-sampled", "measure the same waits: leave out one of them");
	assert_refused(parse_record, "--off-cpu=sampled -U", "leave out -U");
	assert_refused(cmd_flame, "--off-cpu=sampled --wakers -p 1", "or leave out --wakers");
	assert_refused(cmd_flame, "--wall --off-cpu=sampled -a -d 1", "or leave out --wall");
}

/* ----------------------------------------------------------------- timeline */

static struct profile *read_timeline(const struct profile_range *r)
{
	struct profile *p = open_profile(NULL, &(struct naming){ .range = *r, .timeline = true });

	assert_non_null(p);
	return p;
}

/* A sample of a wait is for the time before it */
static void waits_end_at_their_times(void **state)
{
	static const uint64_t spans[NR_WAITS][2] = {
		{ 18, 48 }, { 48, 50 }, { 60, 70 }, { 79, 80 }, { 100, 200 },
	};
	struct profile *p = read_timeline(&(struct profile_range){ 0 });

	(void)state;
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->nr_timeline, NR_WAITS);
	assert_int_equal(p->span.start_ns, 1000 * MS);
	/* A wait ends at its time: it does not extend the recording */
	assert_int_equal(p->span.end_ns, STOP * MS + 1);
	for (size_t i = 0; i < NR_WAITS; i++) {
		uint64_t from, to;

		profile_sample_span(p, &p->timeline[i], &from, &to);
		assert_int_equal(from, spans[i][0] * MS);
		assert_int_equal(to, spans[i][1] * MS);
	}
	profile_destroy(p);
}

static void a_range_has_its_part_of_waits(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--from 49ms --to 75ms -o out"), 0);
	assert_out("out", "task;a;b;[runnable] 1000000\ntask;a;c 10000000\n");
	assert_int_equal(run(cmd_report, "--from 49ms --to 75ms -o out"), 0);
	assert_has("out", " 0.0 s of waiting", true);
	assert_has("out", "\nwaited   I/O wait 10.0 ms, runnable 1.0 ms\n", true);
}

static void lanes_show_waits(void **state)
{
	char *svg;

	(void)state;
	assert_int_equal(run(cmd_flame, "--chart --width 2000 -o out.svg"), 0);
	assert_has("out.svg", "task, process 101", true);
	assert_has("out.svg", "waited for a CPU\n2.0 ms, from 0.048000 s to 0.050000 s<", true);
	assert_has("out.svg", "kernel\n10.0 ms, from 0.060000 s to 0.070000 s<", true);
	svg = text_of("out.svg");
	cut_assets(svg);
	golden_check("chart-off-cpu.svg", svg);
	free(svg);
	/* A wait that began before the range is cut at its start */
	assert_int_equal(run(cmd_flame, "--chart --from 150ms -o out.svg"), 0);
	assert_has("out.svg", "from 0.150000 s to 0.200000 s<", true);
	assert_has("out.svg", "from 0.100000 s", false);
	assert_int_equal(run(cmd_flame, "--chart --root cpu -o gone"), EXIT_FAILURE);
	assert_has("said", "cannot be drawn by CPU: a waiting thread is on no CPU. Leave --root cpu away", true);
	assert_int_equal(access("gone", F_OK), -1);
}

static void heat_is_waiting(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_flame, "--heatmap -o out.svg"), 0);
	assert_has("out.svg", "CPU time", false);
	assert_has("out.svg", "0.040 s to 0.060 s\n10.0 ms of waiting</title>", true);
	assert_has("out.svg", "0.100 s to 0.120 s\n20.0 ms of waiting</title>", true);
	assert_has("out.svg", "nothing to 20.0 ms of waiting in 20.0 ms;", true);
}

/* -------------------------------------------------------------------- views */

static void folded_stacks_are_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "--time -o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "-i both.data --event off-cpu -o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "--samples -o out"), 0);
	assert_has("out", "task;a;b;[runnable] 1\n", true);
	/* The timer is the default, in samples */
	assert_int_equal(run(cmd_fold, "-i both.data -o out"), 0);
	assert_out("out", "task;a;b 10\n");
	assert_int_equal(run(cmd_merge, "kflame.data both.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum --event off-cpu -o out"), 0);
	assert_has("out", "task;a;b 60000000\n", true);
}

static void roots_are_states(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--root state -o out"), 0);
	assert_out("out", "I/O wait;task;a;c 10000000\n"
		   "interruptible;task;a;b 30000000\n"
		   "preempted;task;a;b;[preempted] 1000000\n"
		   "runnable;task;a;b;[runnable] 2000000\n"
		   "stopped;task;a;c;[still waiting] 100000000\n");
	assert_has("said", "no waits", false);
	assert_int_equal(run(cmd_fold, "-i both.data --root state -o out"), 0);
	assert_out("out", "running;task;a;b 10\n");
	assert_has("said", "both.data shows no waits, so --root state has no states of waiting threads: record with --off-cpu", true);
	assert_int_equal(run(cmd_flame, "--root state -o out.svg"), 0);
	assert_has("out.svg", "<title>interruptible\ngroup\n30.0 ms\n", true);
	assert_int_equal(run(cmd_diff, "kflame.data kflame.data --root state -o out"), 0);
	assert_string_equal(wait_name(KFLAME_CTX_UNINTERRUPTIBLE | KFLAME_CTX_STILL), "uninterruptible (D)");
	assert_null(wait_name(KFLAME_CTX_GUEST));
	assert_null(wait_name(KFLAME_CTX_PREEMPTED + 1));
}

static void pictures_are_of_waits(void **state)
{
	char *svg;

	(void)state;
	assert_int_equal(run(cmd_flame, "-o out.svg"), 0);
	assert_has("out.svg", "sample", false);
	assert_has("out.svg", "<title>Flame graph, off-cpu</title>", true);
	assert_has("out.svg", ">off-cpu, 0.2 s, 1 CPU, 0.1 s of waiting</text>", true);
	assert_has("out.svg", "<title>[runnable]\nthe thread could run, and waited for a CPU\n2.0 ms\n", true);
	svg = text_of("out.svg");
	cut_assets(svg);
	golden_check("flame-off-cpu.svg", svg);
	free(svg);
	assert_int_equal(run(cmd_flame, "--samples -o out.svg"), 0);
	assert_has("out.svg", "\n1 sample, 2.0 ms\n", true);
}

/* Waits are blue, and waits for a CPU are not; an option still chooses */
static void colors_are_of_waits(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_flame, "-o waits.svg"), 0);
	assert_int_equal(run(cmd_flame, "--colors wait -o out.svg"), 0);
	assert_int_equal(system("cmp -s waits.svg out.svg"), 0);
	assert_int_equal(run(cmd_flame, "--colors kind -o out.svg"), 0);
	assert_int_not_equal(system("cmp -s waits.svg out.svg"), 0);
	assert_has("out.svg", ">waiting for a CPU", true);
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_int_equal(run(cmd_flame, "--folded -i out --colors wait -o out.svg"), 0);
	assert_has("out.svg", ">waiting for a CPU", true);
}

static void reports_are_of_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", "trust    yes: 0.0% of the waits lost", true);
	assert_has("out", "\nrecorded off-cpu, 0.2 s, 1 CPU, 0.1 s of waiting\n", true);
	assert_has("out", "\nwaited   interruptible 30.0 ms, I/O wait 10.0 ms, stopped 100.0 ms, runnable 2.0 ms, preempted 1.0 ms\n", true);
	assert_has("out", "\nstill    100.0 ms of that in waits that had not ended\n", true);
	assert_has("out", "\nfiltered 2 samples of waits that were too short or too long (--min-block, --max-block)\n", true);
	assert_has("out", "\nlost ", false);
	assert_has("out", "\nlate ", false);
	assert_has("out", "\nidle ", false);
	assert_has("out", "Self time", true);
	assert_has("out", " Hz", false);
	assert_int_equal(run(cmd_report, "-i both.data --event off-cpu -o out"), 0);
	assert_has("out", "\nlost     1: too many threads or calls 1\n", true);
	assert_has("out", "with care: 16.7% of the waits are lost", true);
	assert_int_equal(run(cmd_report, "--by state -o out"), 0);
	assert_has("out", " State\n", true);
	assert_has("out", "  69.93%", false);
	assert_has("out", " 69.93%         100.0 ms  stopped\n", true);
	assert_int_equal(run(cmd_report, "--root state -o out"), 0);
	assert_has("out", "100.0 ms  stopped\n", true);
	assert_int_equal(run(cmd_report, "-i both.data --by state -o out"), 0);
	assert_has("out", "No table by state: these samples were taken on a CPU (--wall adds the waits, --event off-cpu shows only waits).\n", true);
}

/* Samples of waiting threads are no exact times, so few of them are not trusted */
static void few_samples_of_waits_are_not_trusted(void **state)
{
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = WAITS, .unit = KFLAME_UNIT_NS, .kind = KFLAME_EVENT_SLEEPERS,
		.name = "off-cpu-sampled",
	};
	struct mk m = { 0 };

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, AB, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x104, CODE + 4 }, 2);
	mk_stack(&m, AC, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE + 0x204, CODE + 4 }, 2);
	records_add(&m.r, &e, sizeof(e), NULL, 0);
	put_waits(&m);
	finish(&m, 0, "sampled.data");
	assert_int_equal(run(cmd_report, "-i sampled.data -o out"), 0);
	assert_has("out", "trust    with care: 5 samples of waits are few: record for longer\n", true);
	assert_has("out", "\nsampled  each look at a waiting thread stands for about 28.6 ms.", true);
}

static void json_has_states(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"event\":\"off-cpu\",\"still_ns\":100000000,", true);
	assert_has("out", "\"iowait\":{\"samples\":1,\"ns\":10000000}", true);
	assert_has("out", "\"uninterruptible\":{\"samples\":0,\"ns\":0}", true);
	assert_has("out", "\"softirqs\"", false);
	assert_has("out", "\"shares_of\":\"ns\"", true);
	assert_int_equal(run(cmd_report, "-i both.data --json -o out"), 0);
	assert_has("out", "\"softirqs\"", true);
	assert_has("out", "\"iowait\"", false);
}

static void info_adds_up_states(void **state)
{
	static const struct naming every = { .every_event = true };
	struct profile *p = open_profile("both.data", &every);

	(void)state;
	assert_non_null(p);
	assert_int_equal(books_check(p, NULL), 0);
	profile_destroy(p);
	assert_int_equal(system(KFLAME_TOOL " info -i both.data >out"), 0);
	assert_has("out", "\noff-cpu\n", true);
	assert_has("out", "        143.0 ms  waited in all\n", true);
	assert_has("out", "         30.0 ms  interruptible\n", true);
	assert_has("out", "        100.0 ms  of it in waits that had not ended\n", true);
	assert_has("out", "               2  beyond --min-block, --max-block, --min or --max, or no positive value\n", true);
	assert_int_equal(system(KFLAME_TOOL " info -i both.data --raw >out"), 0);
	assert_has("out", "\nevent.1.iowait_ns=10000000\n", true);
	assert_has("out", "\nevent.1.uninterruptible_ns=0\n", true);
	assert_has("out", "\nevent.1.still_ns=100000000\n", true);
	assert_has("out", "\nevent.1.lost.length=2\n", true);
}

static void diff_compares_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_diff, "kflame.data both.data --event off-cpu -o out"), 0);
	assert_has("out", "self: shares of time that end in the function\n", true);
	assert_has("out", "not tested: the test is for samples of time on a CPU\n", true);
	assert_has("out", " samples\n", false);
	assert_int_equal(run(cmd_diff, "kflame.data both.data --event off-cpu -o out.svg"), 0);
	assert_has("out.svg", "widths are B&#39;s time", true);
	assert_int_equal(run(cmd_diff, "kflame.data both.data -o gone"), EXIT_FAILURE);
	assert_has("said", "kflame.data has counts of off-cpu, both.data of cpu-clock: name one event that both have", true);
	assert_int_equal(run(cmd_diff, "kflame.data kflame.data --json -o out"), 0);
	assert_has("out", "\"unit\":\"ns\"", true);
}

/* ------------------------------------------------------------------ convert */

static void formats_have_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_convert, "-o out.folded"), 0);
	assert_out("out.folded", folded);
	assert_int_equal(run(cmd_convert, "-o out.speedscope.json"), 0);
	assert_has("out.speedscope.json", "\"unit\":\"nanoseconds\"", true);
	assert_int_equal(run(cmd_convert, "-o out.trace.json"), 0);
	assert_has("out.trace.json", "\"unit\":\"moments\"", true);
	assert_int_equal(run(cmd_convert, "-o out.firefox.json"), 0);
	assert_has("out.firefox.json", "\"weightType\":\"tracing-ms\"", true);
	assert_int_equal(run(cmd_convert, "-o out.perf"), 0);
	assert_has("out.perf", "100000000 nanoseconds:", true);
}

static Pprof__Profile *read_pprof(const char *path)
{
	uint8_t bytes[65536];
	gzFile in = gzopen(path, "r");
	Pprof__Profile *p;
	int len;

	assert_non_null(in);
	len = gzread(in, bytes, sizeof(bytes));
	assert_true(len > 0 && gzeof(in));
	assert_int_equal(gzclose(in), Z_OK);
	p = pprof__profile__unpack(NULL, (size_t)len, bytes);
	assert_non_null(p);
	return p;
}

static bool has_label(const Pprof__Profile *p, const Pprof__Sample *s, const char *key, const char *text)
{
	for (size_t i = 0; i < s->n_label; i++)
		if (!strcmp(p->string_table[s->label[i]->key], key))
			return !strcmp(p->string_table[s->label[i]->str], text);
	return false;
}

/* @at: which value of a sample is the wait */
static void check_pprof(const char *arguments, size_t nr_types, size_t at)
{
	uint64_t sum = 0, on_disk = 0;
	Pprof__Profile *p;

	assert_int_equal(run(cmd_convert, arguments), 0);
	p = read_pprof("out.pb.gz");
	assert_int_equal(p->n_sample_type, nr_types);
	assert_string_equal(p->string_table[p->sample_type[at]->type], "off-cpu");
	assert_string_equal(p->string_table[p->sample_type[at]->unit], "nanoseconds");
	for (size_t i = 0; i < p->n_sample; i++) {
		sum += (uint64_t)p->sample[i]->value[at];
		if (has_label(p, p->sample[i], "state", "I/O wait"))
			on_disk += (uint64_t)p->sample[i]->value[at];
	}
	assert_int_equal(sum, ALL_WAITS * MS);
	assert_int_equal(on_disk, 10 * MS);
	pprof__profile__free_unpacked(p, NULL);
}

static void pprof_has_a_type_of_waits(void **state)
{
	(void)state;
	check_pprof("-o out.pb.gz", 1, 0);
	check_pprof("-i both.data --event off-cpu -o out.pb.gz", 1, 0);
	check_pprof("-i both.data -o out.pb.gz", 3, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(options),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(wrong_options_of_samples),
		cmocka_unit_test(waits_end_at_their_times),
		cmocka_unit_test(a_range_has_its_part_of_waits),
		cmocka_unit_test(lanes_show_waits),
		cmocka_unit_test(heat_is_waiting),
		cmocka_unit_test(folded_stacks_are_time),
		cmocka_unit_test(roots_are_states),
		cmocka_unit_test(pictures_are_of_waits),
		cmocka_unit_test(colors_are_of_waits),
		cmocka_unit_test(reports_are_of_time),
		cmocka_unit_test(few_samples_of_waits_are_not_trusted),
		cmocka_unit_test(json_has_states),
		cmocka_unit_test(info_adds_up_states),
		cmocka_unit_test(diff_compares_time),
		cmocka_unit_test(formats_have_time),
		cmocka_unit_test(pprof_has_a_type_of_waits),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
