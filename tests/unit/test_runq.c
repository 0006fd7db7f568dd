// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_runq.c - report --runq: how long threads waited for a CPU
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
#include "views/runq.h"

#define US	1000ull
#define MANY	200

static const char *const functions[] = { "a", "b" };

static void put_stack(struct mk *m)
{
	mk_stack(m, MKWAITS_UPPER | 1, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(0) }, 2);
}

/*
 * Thread 101 waits for a CPU 200 times, for 1 to 200 us, half of them on each of two CPUs. Thread 102 is preempted
 * once for 5 ms, and waits for something else 1 s long.
 */
static void make(const char *path, bool timed)
{
	struct mkwaits some[MANY + 2];
	struct mk m = { 0 };

	for (uint32_t i = 0; i < MANY; i++)
		some[i] = (struct mkwaits){ true, KFLAME_CTX_RUNNABLE, 101, i % 2, 1, (i * 77 % MANY + 1) * US, 1, 0,
					    1100 + i };
	some[MANY] = (struct mkwaits){ true, KFLAME_CTX_PREEMPTED | KFLAME_CTX_STILL, 102, 1, 1, 5 * MS, 1, 0, 1900 };
	some[MANY + 1] = (struct mkwaits){ true, KFLAME_CTX_IOWAIT, 102, 1, 1, 500 * MS, 1, 0, 1800 };
	mkwaits_begin(&m, MKWAITS_WAITS | MKWAITS_TIMER);
	put_stack(&m);
	mkwaits_put(&m, some, MANY + 2, timed);
	mkwaits_end(&m, path, functions, 2);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data", true);
	make("untimed.data", false);
	return 0;
}

static void threads_have_percentiles(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--runq -o out"), 0);
	assert_has("out", "\nWaits for a CPU\n      Waits            Total           Mean            p50            p99        Longest  Thread\n"
		   "        200        20.100 ms       0.101 ms       0.100 ms       0.198 ms       0.200 ms  pid 101 tid 101  worker-101\n"
		   "          1         5.000 ms       5.000 ms       5.000 ms       5.000 ms       5.000 ms  pid 101 tid 102  worker-102\n", true);
	assert_has("out", "--timeline", false);
	/* No other tables, unless they are asked for */
	assert_has("out", "Function", false);
	assert_int_equal(run(cmd_report, "--runq -n 1 --tree -o out"), 0);
	assert_has("out", "tid 102", false);
	assert_has("out", "-n 0", true);
	assert_has("out", "[runnable]", true);
}

static void other_rows(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--runq --by cpu -o out"), 0);
	assert_has("out", "        100        10.000 ms       0.100 ms ", true);
	assert_has("out", "  CPU 0\n", true);
	assert_has("out", "        101        15.100 ms       0.150 ms ", true);
	assert_int_equal(run(cmd_report, "--runq --by pid -o out"), 0);
	assert_has("out", "        201        25.100 ms ", true);
	assert_has("out", "  pid 101  worker-101\n", true);
	assert_int_equal(run(cmd_report, "--runq --by comm -o out"), 0);
	assert_has("out", "       0.200 ms  worker-101\n", true);
	assert_int_equal(run(cmd_report, "--runq --by state -o out"), 0);
	assert_has("out", "       5.000 ms  preempted\n", true);
	assert_int_equal(run(cmd_report, "--runq --by cgroup -o out"), 0);
	assert_has("out", "\nNo waits for a CPU by cgroup: the profile holds no cgroups", true);
}

static void a_range_or_a_filter_leaves_waits_out(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--runq --from 800ms -o out"), 0);
	assert_has("out", "tid 101", false);
	assert_has("out", "tid 102", true);
	assert_int_equal(run(cmd_report, "--runq --exclude preempted -o out"), 0);
	assert_has("out", "tid 102", false);
	assert_has("out", "        200        20.100 ms ", true);
	assert_int_equal(run(cmd_report, "--runq --include nothing -o out"), 0);
	assert_has("out", "\nNo thread waited for a CPU.\n", true);
}

static void without_times_there_are_sums(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--runq --locks -i untimed.data -o out"), 0);
	assert_has("out", "          Total           Mean  Thread\n        200        20.100 ms       0.101 ms  pid 101 tid 101", true);
	assert_has("out", "\np50, p99 and longest waits are not known: the profile has sums, and not the length of each wait. Record with --timeline.\n", true);
	assert_has("said", "--timeline", false);
	assert_int_equal(run(cmd_report, "--runq --json -i untimed.data -o out"), 0);
	assert_has("out", "\"timed\":0,\"p50_ns\":null,\"p99_ns\":null,\"longest_ns\":null", true);
}

/* With --wall, samples of the timer are no waits */
static void all_time_has_the_same_waits(void **state)
{
	struct mkwaits some[] = {
		{ false, KFLAME_CTX_TASK, 101, 0, 1, 10 * MS, 4, 0, 1000 },
		{ true, KFLAME_CTX_RUNNABLE, 101, 0, 1, 7 * US, 1, 0, 1500 },
	};
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_WAITS | MKWAITS_TIMER);
	put_stack(&m);
	mkwaits_put(&m, some, 2, true);
	mkwaits_end(&m, "wall.data", functions, 2);
	assert_int_equal(run(cmd_report, "--wall --runq -i wall.data -o out"), 0);
	assert_has("out", "          1         0.007 ms       0.007 ms       0.007 ms       0.007 ms       0.007 ms  pid 101 tid 101", true);
	assert_has("out", "\nspent    running 40.0 ms, runnable 0.0 ms\n", true);
}

static void json_has_the_table(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--runq --json -n 1 -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"runq_by\": \"tid\"", true);
	assert_has("out", "\"mostly\":\"worker-101\",\"waits\":200,\"ns\":20100000,\"mean_ns\":100500,\"timed\":200,\"p50_ns\":100000,\"p99_ns\":198000,\"longest_ns\":200000}", true);
	assert_has("out", "\"runq_more\": 1", true);
	assert_int_equal(run(cmd_report, "--runq --json --by cgroup -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"runq_missing\": \"the profile holds no cgroups", true);
}

/* ------------------------------------------------------------------- errors */

static void wrong_options(void **state)
{
	(void)state;
	assert_refused(cmd_report, "--runq --by function", "with --runq, --by is one of comm, cpu, pid");
	assert_refused(cmd_report, "--runq --by tid,cpu", "with --runq, --by is one of comm, cpu, pid");
	assert_refused(cmd_report, "--runq --by waker", "with --runq, --by is one of comm, cpu, pid");
	assert_refused(cmd_report, "--runq --event cpu-clock", "--runq shows the event off-cpu: leave --event away");
	assert_refused(cmd_report, "--locks --tui", "leave --runq and --locks away");
}

static void a_profile_without_waits_is_refused(void **state)
{
	struct mkwaits some = { false, KFLAME_CTX_TASK, 101, 0, 1, 10 * MS, 4, 0, 1000 };
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_TIMER);
	put_stack(&m);
	mkwaits_put(&m, &some, 1, true);
	mkwaits_end(&m, "timer.data", functions, 2);
	assert_int_equal(run(cmd_report, "--runq -i timer.data -o gone"), EXIT_FAILURE);
	assert_has("said", "timer.data has no event 'off-cpu'. It has: cpu-clock. 'kflame record --off-cpu' records waits", true);
	assert_int_equal(access("gone", F_OK), -1);
}

/* Huge lengths, waits without samples, and more times than waits */
static void hostile_waits(void **state)
{
	struct mkwaits some[] = {
		{ true, KFLAME_CTX_RUNNABLE, 101, 0, 1, INT64_MAX / 2, 1, 0, 1000 },
		{ true, KFLAME_CTX_RUNNABLE, 102, 0, 1, 1, 1, 0, 1000 },
	};
	struct kflame_rec_sample rec = { .rec.type = KFLAME_REC_EVENT_SAMPLE, .counts = MKWAITS_UPPER, .nr = 1 };
	struct kflame_sample s = { .time_ns = 1, .weight_ns = 3, .count = 2 };
	struct mk m = { 0 };

	(void)state;
	mkwaits_begin(&m, MKWAITS_WAITS);
	put_stack(&m);
	mk_wait(&m, MKWAITS_ID, 0, KFLAME_CTX_RUNNABLE, &(struct kflame_event_count){ .weight = 7, .samples = 0 });
	mkwaits_put(&m, some, 2, true);
	for (int i = 0; i < 5; i++)
		records_add(&m.r, &rec, sizeof(rec), &s, sizeof(s));
	mkwaits_end(&m, "hostile.data", functions, 2);
	assert_int_equal(run(cmd_report, "--runq -i hostile.data -o out"), 0);
	assert_has("out", "\n          1  4,611,686,018,427.388 ms  4,611,686,018,427.388 ms", true);
	assert_has("out", "          1         0.000 ms       0.000 ms       0.000 ms", true);
	assert_int_equal(run(cmd_report, "--runq --json -i hostile.data -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_percentiles),
		cmocka_unit_test(other_rows),
		cmocka_unit_test(a_range_or_a_filter_leaves_waits_out),
		cmocka_unit_test(without_times_there_are_sums),
		cmocka_unit_test(all_time_has_the_same_waits),
		cmocka_unit_test(json_has_the_table),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(a_profile_without_waits_is_refused),
		cmocka_unit_test(hostile_waits),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
