// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_returns.c - returns of functions: options, and views of latencies and of returned values
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "parse_record.h"
#include "profile/profile.h"
#include "record/hit_weight.h"
#include "run_command.h"

#define CODE	0xffffffff81000000ull
#define MS	1000000ull

enum { STACK = 1 };

/* Three returns that were counted, and two whose weight was not wanted */
static void make(struct mk *m, uint32_t unit, uint64_t weight)
{
	const struct kflame_event_count counts[] = { { .weight = weight, .samples = 3, .kstack = STACK } };
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = 1, .kind = KFLAME_EVENT_KRETPROBE, .unit = unit, .name = "kretprobe:f",
		.full_name = "kretprobe:f",
	};

	mk_header(m);
	mk_session(m);
	mk_stack(m, STACK, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE, CODE + 0x104 }, 2);
	records_add(&m->r, &e, sizeof(e), NULL, 0);
	mk_event_counts(m, 1, 0, counts, 1);
	mk_event_sums(m, 1, 3, weight, KFLAME_LOST_LENGTH, 2);
	mk_stats(m);
	mk_functions(m, CODE, (const char *const[]){ "f", "caller", NULL });
	mk_end(m);
}

static void write_profile(const char *path, uint32_t unit, uint64_t weight)
{
	struct mk m = { 0 };

	make(&m, unit, weight);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

static int setup(void **state)
{
	(void)state;
	enter_scratch();
	write_profile("latency.data", KFLAME_UNIT_NS, 7 * MS);
	write_profile("value.data", KFLAME_UNIT_VALUE, 12345);
	write_profile("count.data", KFLAME_UNIT_EVENTS, 3);
	return 0;
}

static void options(void **state)
{
	const struct {
		char **argv;
		uint32_t weight;
		uint64_t min, max;
	} table[] = {
		{ ARGS("-e", "kretprobe:f"), KFLAME_WEIGHT_OWN, 0, 0 },
		{ ARGS("-e", "kretprobe:f,kprobe:f+1", "--weight", "count"), KFLAME_WEIGHT_OWN, 0, 0 },
		{ ARGS("--min", "1us", "--weight", "latency", "-e", "kretprobe:f"), KFLAME_WEIGHT_LATENCY, 1000, 0 },
		{ ARGS("--weight=latency", "--max=2.5ms", "-e", "kretprobe:f"), KFLAME_WEIGHT_LATENCY, 0, 2500000 },
		{ ARGS("--weight=value", "-e", "clock,kretprobe:f"), KFLAME_WEIGHT_VALUE, 0, RECORD_MAX_VALUE },
		{ ARGS("--weight=value", "--min=5", "--max=5", "-e", "kretprobe:f"), KFLAME_WEIGHT_VALUE, 5, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct record_options o;

		assert_int_equal(record_options_parse(&o, count(table[i].argv), table[i].argv), 0);
		assert_int_equal(o.weight, table[i].weight);
		assert_int_equal(o.min_weight, table[i].min);
		assert_int_equal(hit_max_weight(&o, &o.events[o.nr_events - 1]), table[i].max);
		record_options_exit(&o);
	}
}

#define BLOCK_IO	"tracepoint:block:block_io_start|block_rq_insert|block_rq_issue..block_rq_complete"

static void presets(void **state)
{
	const struct {
		char **argv;
		uint32_t nr, weight;
		const char *first, *last;
	} table[] = {
		{ ARGS("--file-io"), 2, KFLAME_WEIGHT_VALUE, "kretprobe:vfs_read", "kretprobe:vfs_write" },
		{ ARGS("--file-io=sync"), 5, KFLAME_WEIGHT_LATENCY, "syscall:fsync", "syscall:msync" },
		{ ARGS("--file-io=write"), 1, KFLAME_WEIGHT_VALUE, "kretprobe:vfs_write", "kretprobe:vfs_write" },
		{ ARGS("--weight=latency", "--file-io=read", "--min=1ms"), 1, KFLAME_WEIGHT_LATENCY, "kretprobe:vfs_read", "kretprobe:vfs_read" },
		{ ARGS("--file-io=read", "--weight=count"), 1, KFLAME_WEIGHT_OWN, "kretprobe:vfs_read", "kretprobe:vfs_read" },
		{ ARGS("--net"), 5, KFLAME_WEIGHT_VALUE, "kretprobe:tcp_sendmsg", "tracepoint:tcp:tcp_retransmit_skb" },
		{ ARGS("--net=retransmit"), 1, KFLAME_WEIGHT_OWN, "tracepoint:tcp:tcp_retransmit_skb", "tracepoint:tcp:tcp_retransmit_skb" },
		{ ARGS("--signals", "-e", "cpu-clock"), 2, KFLAME_WEIGHT_OWN, "tracepoint:signal:signal_generate", "cpu-clock" },
		{ ARGS("--exec"), 2, KFLAME_WEIGHT_OWN, "tracepoint:sched:sched_process_fork", "tracepoint:sched:sched_process_exec" },
		{ ARGS("--syscalls"), 1, KFLAME_WEIGHT_LATENCY, "syscall:*", "syscall:*" },
		{ ARGS("--syscalls=all"), 1, KFLAME_WEIGHT_LATENCY, "syscall:*", "syscall:*" },
		{ ARGS("--syscalls=read,futex", "--file-io"), 4, KFLAME_WEIGHT_LATENCY, "syscall:read", "kretprobe:vfs_write" },
		{ ARGS("--syscalls=read", "--weight=value", "--min=1"), 1, KFLAME_WEIGHT_VALUE, "syscall:read", "syscall:read" },
		{ ARGS("-e", "syscall:4095,syscall:all"), 2, KFLAME_WEIGHT_OWN, "syscall:4095", "syscall:*" },
		{ ARGS("--block-io"), 1, KFLAME_WEIGHT_LATENCY, BLOCK_IO, BLOCK_IO },
		{ ARGS("--block-io=bytes"), 1, KFLAME_WEIGHT_VALUE, BLOCK_IO, BLOCK_IO },
		{ ARGS("-e", "tracepoint:a:b..c,tracepoint:a:b"), 2, KFLAME_WEIGHT_LATENCY, "tracepoint:a:b..c", "tracepoint:a:b" },
		{ ARGS("-e", "tracepoint:a:b..c", "--weight=count"), 1, KFLAME_WEIGHT_OWN, "tracepoint:a:b..c", "tracepoint:a:b..c" },
		{ ARGS("--faults"), 1, KFLAME_WEIGHT_OWN, "page-faults", "page-faults" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct record_options o;

		assert_int_equal(record_options_parse(&o, count(table[i].argv), table[i].argv), 0);
		assert_int_equal(o.nr_events, table[i].nr);
		assert_int_equal(hit_weight(&o, &o.events[0]), table[i].weight);
		assert_string_equal(o.events[0].name, table[i].first);
		assert_string_equal(o.events[o.nr_events - 1].name, table[i].last);
		record_options_exit(&o);
	}
	assert_refused(parse_record, "--file-io=copy", "--file-io=copy: there are read, write and sync");
	assert_refused(parse_record, "--net=drop", "there are send, receive and retransmit");
	assert_refused(parse_record, "--faults -e page-faults", "is there");
	assert_refused(parse_record, "--file-io --net -e cpu-clock,page-faults", "at most 8");
	assert_refused(parse_record, "--exec --weight value", "add -e kretprobe:FUNC");
	assert_refused(parse_record, "--block-io=pages", "--block-io=pages: there are latency and bytes");
	assert_refused(parse_record, "-e tracepoint:a:b..c --weight value", "use --block-io");
	assert_refused(parse_record, "--syscalls=no_such", "--syscalls=no_such: there are the system calls that 'kflame list syscall:' lists");
	assert_refused(parse_record, "--syscalls=read,", "--syscalls=read,: there are");
	assert_refused(parse_record, "--syscalls --file-io --min 1ms", "--min and --max mean a time for some events");
}

static void wrong_options(void **state)
{
	(void)state;
	assert_refused(parse_record, "--weight size", "add -e kprobe:FUNC");
	assert_refused(parse_record, "--weight value", "add -e kretprobe:FUNC");
	assert_refused(parse_record, "--weight value -e clock", "add -e kretprobe:FUNC");
	assert_refused(parse_record, "--weight value -e kprobe:f,kretprobe:g", "kprobe:f is no return");
	assert_refused(parse_record, "--weight latency -e kretprobe:f,tracepoint:a:b", "tracepoint:a:b is no return");
	assert_refused(parse_record, "--min 5 -e kretprobe:f", "--min chooses hits by what they weigh");
	assert_refused(parse_record, "--max 5 -e kretprobe:f", "--max chooses hits by what they weigh");
	assert_refused(parse_record, "--weight value --min 0 -e kretprobe:f", "this is no value");
	assert_refused(parse_record, "--weight value --min +1 -e kretprobe:f", "this is no value");
	assert_refused(parse_record, "--weight value --max 281474976710657 -e kretprobe:f", "this is no value");
	assert_refused(parse_record, "--weight value --min 2 --max 1 -e kretprobe:f", "--max is less than --min");
	assert_refused(parse_record, "--weight latency --min 1 -e kretprobe:f", "the unit is missing");
	assert_refused(parse_record, "--weight latency --min 1h -e kretprobe:f", "this is no latency");
	assert_refused(parse_record, "-e kretprobe:f+1", "kretprobe:FUNC");
	assert_refused(parse_record, "-e syscall:", "kflame list syscall:");
	assert_refused(parse_record, "-e syscall:no_such", "kflame list syscall:");
	assert_refused(parse_record, "-e syscall:4096", "kflame list syscall:");
	assert_refused(parse_record, "-e syscall:*,syscall:all", "there twice");
	assert_refused(parse_record, "-U -e syscall:read", "leave out -U, or syscall:read");
	assert_refused(parse_record, "-e kretprobe:", "kretprobe:FUNC");
	assert_refused(parse_record, "-U -e kretprobe:f", "leave out -U");
}

/* The options -U and -K, with each event that may or may not happen there */
static void modes(void **state)
{
	static const char *const kernel[] = { "kprobe:f", "kretprobe:f", "tracepoint:a:b", "tracepoint:a:b..c", "syscall:read", "off-cpu",
					      "off-cpu-sampled" };
	static const char *const user[] = { "uprobe:/bin/sh:f", "uretprobe:/bin/sh:f" };
	char line[128], why[128];

	(void)state;
	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++) {
		snprintf(line, sizeof(line), "-e cpu-clock,%s -U", kernel[i]);
		snprintf(why, sizeof(why), "-U leaves out the kernel, and %s is ", kernel[i]);
		assert_refused(parse_record, line, why);
		snprintf(line, sizeof(line), "-e cpu-clock,%s -K", kernel[i]);
		assert_int_equal(run(parse_record, line), 0);
	}
	for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++) {
		snprintf(line, sizeof(line), "-K -e %s", user[i]);
		snprintf(why, sizeof(why), "-K leaves out user mode, and %s is ", user[i]);
		assert_refused(parse_record, line, why);
		snprintf(line, sizeof(line), "-e %s -U", user[i]);
		assert_int_equal(run(parse_record, line), 0);
	}
	assert_int_equal(run(parse_record, "-U -e cpu-clock,page-faults"), 0);
	assert_int_equal(run(parse_record, "-K -e cpu-clock,page-faults"), 0);
	assert_refused(parse_record, "-U --file-io", "leave out -U, or kretprobe:vfs_read");
}

static void latencies_are_time(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-i latency.data -o out"), 0);
	assert_out("out", "task;caller;f 7000000\n");
	assert_int_equal(run(cmd_report, "-i latency.data -o out"), 0);
	assert_has("out", "recorded kretprobe:f, ", true);
	assert_has("out", "7.0 ms in calls\n", true);
	assert_has("out", "waiting", false);
	assert_has("out", "few", false);
	assert_has("out", "filtered 2 returns whose calls were too short or too long (--min, --max)", true);
	assert_int_equal(system(KFLAME_TOOL " info -i latency.data >out"), 0);
	assert_has("out", "7.0 ms  in calls\n", true);
	assert_has("out", "waited", false);
	assert_int_equal(run(cmd_flame, "-i latency.data --heatmap -o gone"), EXIT_FAILURE);
	assert_int_equal(access("gone", F_OK), -1);
}

static void values_are_numbers(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-i value.data -o out"), 0);
	assert_out("out", "task;caller;f 12345\n");
	assert_int_equal(run(cmd_report, "-i value.data -o out"), 0);
	assert_has("out", "12,345 units returned by f", true);
	assert_has("out", "filtered 2 returns whose values were too small or too large (--min, --max)", true);
	assert_int_equal(run(cmd_report, "-i value.data --time -o out"), EXIT_FAILURE);
	assert_has("said", "units returned by f have no duration", true);
	assert_int_equal(system(KFLAME_TOOL " info -i value.data >out"), 0);
	assert_has("out", "12,345  units returned by f\n", true);
	assert_int_equal(run(cmd_flame, "-i value.data -o out"), 0);
	assert_has("out", "12,345 units returned by f", true);
}

static void counts_are_returns(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-i count.data -o out"), 0);
	assert_out("out", "task;caller;f 3\n");
	assert_int_equal(run(cmd_report, "-i count.data -o out"), 0);
	assert_has("out", "3 kretprobe:f", true);
}

static void weights_are_not_mixed(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_merge, "value.data value.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum -o out"), 0);
	assert_out("out", "task;caller;f 24690\n");
	assert_int_equal(run(cmd_merge, "value.data latency.data -o gone"), EXIT_FAILURE);
	assert_has("said", "with latency.data, an event of one name has different weights", true);
	assert_int_equal(run(cmd_diff, "value.data latency.data -o gone"), EXIT_FAILURE);
	assert_int_equal(access("gone", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),
		cmocka_unit_test(presets),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(modes),
		cmocka_unit_test(latencies_are_time),
		cmocka_unit_test(values_are_numbers),
		cmocka_unit_test(counts_are_returns),
		cmocka_unit_test(weights_are_not_mixed),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
