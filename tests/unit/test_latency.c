// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_latency.c - report --latency: samples weighed by how many threads ran at once
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

#include "mkwaits.h"

#define LEN(array)	(sizeof(array) / sizeof((array)[0]))

static const char *const functions[] = { "alone", "both", "third" };

/*
 * Thread 101 runs from 0 to 40 ms, in alone() and from 10 to 30 ms in both(); thread 102 from 10 to 30 ms, 4 of them
 * late. Thread 103 runs at the end, for 3 ms. CPU 1 is idle at first.
 */
static const struct mkwaits parts[] = {
	{ false, KFLAME_CTX_TASK, 101, 0, 1, 10 * MS, 1, 0, 1000 },
	{ false, KFLAME_CTX_TASK, 101, 0, 2, 20 * MS, 1, 0, 1010 },
	{ false, KFLAME_CTX_TASK, 101, 0, 1, 10 * MS, 1, 0, 1030 },
	{ false, KFLAME_CTX_IDLE, 0, 1, 0, 10 * MS, 1, 0, 1000 },
	{ false, KFLAME_CTX_TASK, 102, 1, 2, 20 * MS, 1, 4 * MS, 1010 },
	{ false, KFLAME_CTX_TASK, 103, 1, 3, 3 * MS, 1, 0, 1050 },
};

static void make(const char *path, const struct mkwaits *some, uint32_t nr, unsigned int events, bool timed)
{
	struct mk m = { 0 };

	mkwaits_begin(&m, events);
	for (uint64_t i = 0; i < LEN(functions); i++)
		mk_stack(&m, MKWAITS_UPPER | (i + 1), KFLAME_STACK_KERNEL,
			 (uint64_t[]){ mkwaits_code((unsigned int)i) }, 1);
	mkwaits_put(&m, some, nr, timed);
	mkwaits_end(&m, path, functions, LEN(functions));
}

static int setup(void **state)
{
	static const struct mkwaits wait = { true, KFLAME_CTX_IOWAIT, 101, 0, 1, 10 * MS, 1, 0, 1100 };

	*state = NULL;
	enter_scratch();
	make("kflame.data", parts, LEN(parts), MKWAITS_TIMER, true);
	make("untimed.data", parts, LEN(parts), MKWAITS_TIMER, false);
	make("waits.data", &wait, 1, MKWAITS_WAITS, true);
	return 0;
}

static void weights_are_shares_of_the_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--latency --by function,tid -o out"), 0);
	assert_has("out", "\nlatency  43.0 ms in which at least one thread ran, 1.5 threads at once on average; shares are of it\n", true);
	assert_has("out", "         20.0 ms  kernel   -     alone\n", true);
	assert_has("out", "         18.0 ms  kernel   -     both\n", true);
	assert_has("out", "          2.0 ms  note     -     [late: irqs off or stolen]\n", true);
	assert_has("out", " 69.77%          30.0 ms  pid 101 tid 101  worker-101\n", true);
	assert_has("out", "          10.0 ms  pid 101 tid 102  worker-102\n", true);
	assert_has("out", "idle]", false);
	assert_int_equal(run(cmd_report, "--latency --json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"ran_ns\":63000000", true);
	assert_has("out", "\"shown\":{\"samples\":5,\"ns\":43000000}", true);
	assert_int_equal(run(cmd_report, "--json -o out"), 0);
	assert_has("out", "ran_ns", false);
}

/* Threads that are not shown do not run at once with others */
static void a_filter_leaves_threads_out(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--latency --include worker-10[23] --by function -o out"), 0);
	assert_has("out", "\nlatency  23.0 ms in which at least one thread ran, 1.0 threads at once on average; shares are of it\n", true);
	assert_has("out", "filtered out", false);
	assert_int_equal(run(cmd_report, "--latency --from 35ms -o out"), 0);
	assert_has("out", "\nlatency  3.0 ms ", true);
}

static void other_profiles_are_refused(void **state)
{
	struct mk m = { 0 };

	(void)state;
	assert_refused(cmd_report, "--latency --wall", "--latency weighs samples of the timer: leave --wall, --wakers, --runq and --locks away");
	assert_refused(cmd_report, "--latency --wakers", "leave --wall, --wakers, --runq and --locks away");
	assert_refused(cmd_report, "--latency --event off-cpu", "leave --event away");
	assert_refused(cmd_report, "--latency --samples", "leave --samples away");
	assert_int_equal(run(cmd_report, "--latency -i untimed.data -o gone"), EXIT_FAILURE);
	assert_has("said", "untimed.data does not say when its samples were: record with --timeline", true);
	assert_int_equal(run(cmd_report, "--latency -i waits.data -o gone"), EXIT_FAILURE);
	assert_has("said", "waits.data has no samples of the timer, and --latency weighs those", true);
	mkwaits_begin(&m, 0);
	mk_event(&m, MKWAITS_ID, KFLAME_UNIT_EVENTS, "page-faults");
	mkwaits_put(&m, &(struct mkwaits){ true, KFLAME_CTX_TASK, 101, 0, 0, 1, 1, 0, 1100 }, 1, true);
	mkwaits_end(&m, "faults.data", functions, LEN(functions));
	assert_int_equal(run(cmd_report, "--latency -i faults.data -o gone"), EXIT_FAILURE);
	assert_has("said", "page-faults have no duration. Leave out --chart, --heatmap or --latency", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* All samples of a malformed profile are at once, and as long as a number can be */
static void hostile_samples(void **state)
{
	const struct mkwaits some[] = {
		{ false, KFLAME_CTX_TASK, 101, 0, 1, INT64_MAX - 1001 * MS, 1, 0, 1000 },
		{ false, KFLAME_CTX_TASK, 102, 0, 2, INT64_MAX - 1001 * MS, 1, 0, 1000 },
		{ false, KFLAME_CTX_TASK, 103, 0, 3, 1, 1, 0, 1000 },
	};

	(void)state;
	make("hostile.data", some, LEN(some), MKWAITS_TIMER, true);
	assert_int_equal(run(cmd_report, "--latency -i hostile.data -o out"), 0);
	assert_has("out", " 2.0 threads at once", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_shares_of_the_time),
		cmocka_unit_test(a_filter_leaves_threads_out),
		cmocka_unit_test(other_profiles_are_refused),
		cmocka_unit_test(hostile_samples),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
