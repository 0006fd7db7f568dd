// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_wall.c - --wall: the timer's samples and the waits together, in time
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

#include "cmd/flame_command.h"
#include "cmd/record_command_line.h"
#include "mkwaits.h"
#include "profile/waits.h"

#define LEN(array)	(sizeof(array) / sizeof((array)[0]))

static const char *const functions[] = { "a", "b", "c" };

enum { AB = 1, AC };

/*
 * Thread 101 runs for 40 ms, waits 30 ms, and 2 ms more for a CPU. Thread 102 runs for 10 ms, 4 of them late, and
 * waits for a disk. A CPU has 6 ms of softirqs and is idle for 50 ms. Each thread has 72 ms.
 */
static const struct mkwaits parts[] = {
	{ false, KFLAME_CTX_TASK, 101, 0, AB, 10 * MS, 4, 0, 1000 },
	{ false, KFLAME_CTX_TASK, 102, 1, AC, 10 * MS, 1, 4 * MS, 1000 },
	{ false, KFLAME_CTX_SOFTIRQ, 0, 1, AB, 3 * MS, 2, 0, 1010 },
	{ false, KFLAME_CTX_IDLE, 0, 1, 0, 10 * MS, 5, 0, 1020 },
	{ true, KFLAME_CTX_INTERRUPTIBLE, 101, 0, AB, 30 * MS, 1, 0, 1070 },
	{ true, KFLAME_CTX_RUNNABLE, 101, 0, AB, 2 * MS, 1, 0, 1072 },
	{ true, KFLAME_CTX_IOWAIT, 102, 1, AC, 31 * MS, 2, 0, 1041 },
};

static const char folded[] =
	"I/O wait;worker-102;a;c 62000000\n"
	"idle;[idle] 50000000\n"
	"in softirq;swapper/0;a;b 6000000\n"
	"interruptible;worker-101;a;b 30000000\n"
	"runnable;worker-101;a;b;[runnable] 2000000\n"
	"running;worker-101;a;b 40000000\n"
	"running;worker-102;a;c 6000000\n"
	"running;worker-102;a;c;[late: irqs off or stolen] 4000000\n";

static void make(const char *path, unsigned int events, bool timed)
{
	struct mk m = { 0 };
	struct mkwaits some[LEN(parts)];
	uint32_t nr = 0;

	for (size_t i = 0; i < LEN(parts); i++)
		if (events & (parts[i].waits ? MKWAITS_WAITS : MKWAITS_TIMER))
			some[nr++] = parts[i];
	mkwaits_begin(&m, events);
	mk_stack(&m, MKWAITS_UPPER | AB, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
	mk_stack(&m, MKWAITS_UPPER | AC, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(2), mkwaits_code(0) }, 2);
	mkwaits_put(&m, some, nr, timed);
	if (events & MKWAITS_WAITS)
		mk_event_cpu(&m, MKWAITS_ID, 0, 4, 3);
	mkwaits_end(&m, path, functions, LEN(functions));
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data", MKWAITS_TIMER | MKWAITS_WAITS, false);
	make("timed.data", MKWAITS_TIMER | MKWAITS_WAITS, true);
	make("waits.data", MKWAITS_WAITS, false);
	make("timer.data", MKWAITS_TIMER, false);
	return 0;
}

/* ------------------------------------------------------------------ options */

static void recording_has_both_events(void **state)
{
	static char *lines[][6] = {
		{ (char *)"kflame record", (char *)"--wall", NULL },
		{ (char *)"kflame record", (char *)"--wall", (char *)"--off-cpu", (char *)"-e", (char *)"cpu-clock", NULL },
		{ (char *)"kflame record", (char *)"-e", (char *)"off-cpu", (char *)"--wall", NULL },
	};
	struct record_options o;

	(void)state;
	for (size_t i = 0; i < LEN(lines); i++) {
		int argc = 0;

		while (lines[i][argc])
			argc++;
		assert_int_equal(record_options_parse(&o, argc, lines[i]), 0);
		assert_int_equal(o.nr_events, 2);
		assert_true(record_has_event(&o, KFLAME_EVENT_TIMER));
		assert_true(record_has_event(&o, KFLAME_EVENT_OFFCPU));
		assert_true(o.config_flags & KFLAME_CF_PER_THREAD);
		record_options_exit(&o);
	}
}

/* flame records with the options that its picture needs */
static void picture_says_what_to_record(void **state)
{
	char *line[] = { (char *)"kflame flame", (char *)"--wall", (char *)"-d", (char *)"10", (char *)"-p", (char *)"7",
			 (char *)"--", (char *)"true", NULL };
	struct flame_command c;

	(void)state;
	assert_int_equal(flame_command_parse(&c, LEN(line) - 1, line), 0);
	assert_non_null(c.record);
	assert_string_equal(c.record[1], "--wall");
	assert_string_equal(c.record[2], "-d");
	assert_true(c.idle);
	assert_int_equal(c.naming.root, STACK_ROOT_STATE);
	flame_command_exit(&c);
	line[2] = NULL;
	assert_int_equal(flame_command_parse(&c, 2, line), 0);
	assert_null(c.record);
	flame_command_exit(&c);
}

static void wrong_options(void **state)
{
	(void)state;
	assert_refused(cmd_flame, "--wall --event off-cpu", "leave --event away");
	assert_refused(cmd_report, "--event off-cpu --wall", "leave --event away");
	assert_refused(cmd_flame, "--wall --folded", "--wall needs a profile");
	assert_refused(cmd_flame, "--wall --chart --root state", "with --chart, --root is cpu or left out");
	assert_refused(cmd_flame, "--wall --min-block 1us", "say what to record");
}

static void other_profiles_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--wall -i timer.data -o gone"), EXIT_FAILURE);
	assert_has("said", "timer.data has no waits, and --wall adds up samples and waits: record with 'kflame record --wall'", true);
	assert_int_equal(run(cmd_report, "--wall -i waits.data -o gone"), EXIT_FAILURE);
	assert_has("said", "waits.data has no samples of the timer, and --wall adds up samples and waits", true);
	assert_int_equal(run(cmd_flame, "--wall -i timer.data -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_flame, "--wall --samples -o gone"), EXIT_FAILURE);
	assert_has("said", "Leave out --samples", true);
	assert_int_equal(run(cmd_fold, "--wall --samples -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_report, "--wall --samples -o gone"), EXIT_FAILURE);
	assert_int_equal(run(cmd_flame, "--wall --chart --root cpu -i timed.data -o gone"), EXIT_FAILURE);
	assert_has("said", "a waiting thread is on no CPU", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* -------------------------------------------------------------------- views */

static void stacks_begin_with_states(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--wall -o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "--wall --time -o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "--wall --no-idle -o out"), 0);
	assert_has("out", "idle", false);
	assert_has("out", "in softirq", true);
	assert_int_equal(run(cmd_fold, "--wall --root comm -o out"), 0);
	assert_has("out", "worker-101;a;b 70000000\n", true);
	assert_has("out", "swapper;[idle] 50000000\n", true);
	assert_int_equal(run(cmd_fold, "--root comm --wall -o out"), 0);
	assert_has("out", "swapper;[idle] 50000000\n", true);
	/* Without --wall, nothing is added up */
	assert_int_equal(run(cmd_fold, "--time -o out"), 0);
	assert_has("out", "worker-101;a;b 40000000\n", true);
	assert_int_equal(run(cmd_fold, "--event off-cpu --root state -o out"), 0);
	assert_has("out", "running", false);
	assert_int_equal(run(cmd_merge, "kflame.data timed.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "--wall -i sum -o out"), 0);
	assert_has("out", "running;worker-101;a;b 80000000\n", true);
	assert_has("out", "I/O wait;worker-102;a;c 124000000\n", true);
	assert_string_equal(state_name(KFLAME_CTX_PREEMPTED | KFLAME_CTX_STILL), "preempted");
	assert_string_equal(state_name(KFLAME_CTX_GAP), "[gap]");
	assert_string_equal(state_name(KFLAME_CTX_STILL), "[unknown]");
	assert_string_equal(state_name(77), "[unknown]");
}

static void pictures_have_all_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_flame, "--wall -o out.svg"), 0);
	assert_has("out.svg", "<title>Flame graph, wall</title>", true);
	assert_has("out.svg", ">wall, 997 Hz, 1.0 s, 1 CPU, 0.2 s of running and waiting, 3 lost</text>", true);
	assert_has("out.svg", "<title>running\ngroup\n50.0 ms\n", true);
	assert_has("out.svg", "<title>idle\ngroup\n50.0 ms\n", true);
	assert_has("out.svg", "<title>I/O wait\ngroup\n62.0 ms\n", true);
	assert_has("out.svg", "sample", false);
	assert_int_equal(run(cmd_flame, "--wall --no-idle -o out.svg"), 0);
	assert_has("out.svg", "idle 25.0% not drawn (--idle draws it)", true);
}

static void a_lane_has_all_time_of_a_thread(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_flame, "--wall --chart --width 2000 -i timed.data -o out.svg"), 0);
	assert_has("out.svg", "from 0.000000 s to 0.072000 s<", true);
	assert_has("out.svg", "waited for a CPU\n2.0 ms, from 0.070000 s to 0.072000 s<", true);
	assert_int_equal(run(cmd_flame, "--wall --heatmap -i timed.data -o out.svg"), 0);
	assert_has("out.svg", " ms of running and waiting</title>", true);
	assert_has("out.svg", "CPU time", false);
	assert_int_equal(run(cmd_fold, "--wall -i timed.data -o out"), 0);
	assert_out("out", folded);
	assert_int_equal(run(cmd_fold, "--wall -i timed.data --from 60ms -o out"), 0);
	assert_has("out", "interruptible;worker-101;a;b 10000000\n", true);
	assert_has("out", "running", false);
}

static void reports_have_all_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--wall -o out"), 0);
	assert_has("out", "\nrecorded wall, 997 Hz, 1.0 s, 1 CPU, 0.2 s of running and waiting, 3 lost\n", true);
	assert_has("out", "\nspent    running 50.0 ms, in softirq 6.0 ms, idle 50.0 ms, interruptible 30.0 ms, I/O wait 62.0 ms, runnable 2.0 ms\n", true);
	assert_has("out", "\nidle     25.0% of the time\n", true);
	/* 12 samples are few, however many waits there are */
	assert_has("out", "7 samples of work are few", true);
	assert_has("out", "\nlost     3: table full 3\n", true);
	assert_has("out", " 31.00%          62.0 ms  I/O wait\n", true);
	assert_has("out", " 25.00%          50.0 ms  idle\n", true);
	/* The time of each thread is its time in the recording */
	assert_int_equal(run(cmd_report, "--wall --by state,tid,comm -o out"), 0);
	assert_has("out", "          72.0 ms  pid 101 tid 101  worker-101\n", true);
	assert_has("out", "          72.0 ms  pid 101 tid 102  worker-102\n", true);
	assert_has("out", "          50.0 ms  running\n", true);
	assert_has("out", "          72.0 ms  worker-101\n", true);
	assert_int_equal(run(cmd_report, "--wall --by all -o out"), 0);
	assert_int_equal(run(cmd_report, "--wall --no-idle -o out"), 0);
	assert_has("out", "; not in the tables (--idle counts it in)\n", true);
	assert_has("out", "ms  idle\n", false);
	assert_int_equal(run(cmd_report, "--wall --root tid --tree -o out"), 0);
}

static void diff_compares_all_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_diff, "--wall kflame.data timed.data -o out"), 0);
	assert_has("out", "wall, 997 Hz, 1.0 s, 1 CPU, 0.2 s of running and waiting, 3 lost", true);
	assert_has("out", "not tested: the test is for samples of time on a CPU\n", true);
	assert_has("out", "left out (--idle)", false);
	assert_int_equal(run(cmd_diff, "--wall --no-idle kflame.data timed.data -o out"), 0);
	assert_has("out", "idle 25.0% left out (--idle)", true);
	assert_int_equal(run(cmd_diff, "--wall kflame.data timed.data -o out.svg"), 0);
	assert_has("out.svg", "<title>I/O wait\n", true);
	assert_int_equal(run(cmd_diff, "--wall --samples kflame.data timed.data -o gone"), EXIT_FAILURE);
	assert_has("said", "Leave out --samples", true);
	assert_int_equal(run(cmd_diff, "--wall kflame.data timer.data -o gone"), EXIT_FAILURE);
	assert_has("said", "timer.data has no waits", true);
	assert_int_equal(access("gone", F_OK), -1);
}

static void json_has_all_states(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--wall --json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"event\":\"wall\",\"still_ns\":0,", true);
	assert_has("out", "\"tasks\":{\"samples\":5,\"ns\":50000000}", true);
	assert_has("out", "\"iowait\":{\"samples\":2,\"ns\":62000000}", true);
	assert_has("out", "\"shares_of\":\"ns\"", true);
	assert_has("out", "\"shown\":{\"samples\":16,\"ns\":200000000}", true);
}

/* ------------------------------------------------------------------ hostile */

static void sums_that_do_not_fit_are_refused(void **state)
{
	struct mkwaits some[] = {
		{ false, KFLAME_CTX_TASK, 101, 0, AB, UINT64_MAX / 2 + 1, 1, 0, 0 },
		{ true, KFLAME_CTX_IOWAIT, 101, 0, AB, UINT64_MAX / 2 + 1, 1, 0, 0 },
	};
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
	mkwaits_put(&m, some, 2, false);
	mkwaits_end(&m, "huge.data", functions, LEN(functions));
	assert_int_equal(run(cmd_report, "--wall -i huge.data -o gone"), EXIT_FAILURE);
	assert_has("said", "do not fit in 64 bits", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* Another event has the name of the waits */
static void an_event_without_time_is_no_wait(void **state)
{
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_TIMER);
	mk_event(&m, 5, KFLAME_UNIT_EVENTS, "off-cpu");
	mk_event_counts(&m, 5, 0, &(struct kflame_event_count){ .weight = 7, .samples = 1 }, 1);
	mkwaits_put(&m, parts, 1, false);
	mkwaits_end(&m, "named.data", functions, LEN(functions));
	assert_int_equal(run(cmd_report, "--wall -i named.data -o gone"), EXIT_FAILURE);
	assert_has("said", "named.data has no waits", true);
}

#define MUTANTS	150

/* A profile with wrong bytes crashes no view of waits, whatever it makes of them */
static void mutants(void **state)
{
	static const struct {
		int (*run)(int argc, char **argv);
		const char *arguments;
	} views[] = {
		{ cmd_fold, "--wall -i mutant -o out" }, { cmd_report, "--wall --by all -i mutant -o out" },
		{ cmd_report, "--runq --locks -i mutant -o out" }, { cmd_report, "--latency -i mutant -o out" },
		{ cmd_flame, "--wall --chart -i mutant -o out" },
	};
	FILE *f = fopen("timed.data", "r");
	unsigned char bytes[8192];
	size_t len, read = 0;

	(void)state;
	assert_non_null(f);
	len = fread(bytes, 1, sizeof(bytes), f);
	assert_true(len > 0 && len < sizeof(bytes) && !fclose(f));
	for (unsigned int seed = 0; seed < MUTANTS; seed++) {
		unsigned char bad[sizeof(bytes)];

		memcpy(bad, bytes, len);
		srand(seed);
		/* Behind the header of the file, which each of them would refuse */
		for (int i = 0; i < 1 + rand() % 8; i++)
			bad[64 + (size_t)rand() % (len - 64)] = (unsigned char)(rand() % 3 ? rand() : 255 * (rand() % 2));
		write_file("mutant", bad, len);
		read += !run(views[seed % LEN(views)].run, views[seed % LEN(views)].arguments);
	}
	print_message("# %d mutants: %zu were shown without a message\n", MUTANTS, read);
}

/* A range has the part of a wait that is in it.  A sample from just before the wait's end does not hide the wait */
static void a_range_has_part_of_a_wait(void **state)
{
	static const struct mkwaits some[] = {
		{ true, KFLAME_CTX_INTERRUPTIBLE, 101, 0, AB, 30 * MS, 1, 0, 1040 },
		{ false, KFLAME_CTX_TASK, 101, 0, AC, 10 * MS, 1, 0, 1039 },
	};
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
	mk_stack(&m, MKWAITS_UPPER | AB, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
	mk_stack(&m, MKWAITS_UPPER | AC, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(2), mkwaits_code(0) }, 2);
	mkwaits_put(&m, some, LEN(some), true);
	mkwaits_end(&m, "edge.data", functions, LEN(functions));
	assert_int_equal(run(cmd_flame, "--wall --chart --width 2000 -i edge.data -o out.svg"), 0);
	assert_has("out.svg", "30.0 ms, from 0.010000 s to 0.040000 s<", true);
	assert_has("out.svg", "9.0 ms, from 0.040000 s to 0.049000 s<", true);
	assert_int_equal(run(cmd_fold, "--wall -i edge.data --from 5ms --to 15ms -o out"), 0);
	assert_out("out", "interruptible;worker-101;a;b 5000000\n");
	assert_int_equal(run(cmd_fold, "--event off-cpu -i edge.data --from 20ms --to 25ms -o out"), 0);
	assert_out("out", "worker-101;a;b 5000000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recording_has_both_events),
		cmocka_unit_test(picture_says_what_to_record),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(other_profiles_are_refused),
		cmocka_unit_test(stacks_begin_with_states),
		cmocka_unit_test(pictures_have_all_time),
		cmocka_unit_test(a_lane_has_all_time_of_a_thread),
		cmocka_unit_test(a_range_has_part_of_a_wait),
		cmocka_unit_test(reports_have_all_time),
		cmocka_unit_test(diff_compares_all_time),
		cmocka_unit_test(json_has_all_states),
		cmocka_unit_test(sums_that_do_not_fit_are_refused),
		cmocka_unit_test(an_event_without_time_is_no_wait),
		cmocka_unit_test(mutants),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
