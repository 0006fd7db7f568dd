// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_joint_events.c - events that count the same are shown in one picture
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "profile/profile.h"
#include "run_command.h"

#define CODE	0xffffffff81000000ull

enum { STACK = 1 };

static const struct event {
	const char *name;
	uint32_t kind, unit, arg;
	uint64_t weight;
} events[] = {
	{ "kretprobe:vfs_read", KFLAME_EVENT_KRETPROBE, KFLAME_UNIT_VALUE, 0, 3000 },
	{ "kretprobe:vfs_write", KFLAME_EVENT_KRETPROBE, KFLAME_UNIT_VALUE, 0, 1000 },
	{ "tracepoint:a:b", KFLAME_EVENT_TRACEPOINT, KFLAME_UNIT_EVENTS, 0, 2 },
	{ "kprobe:by_arg2", KFLAME_EVENT_KPROBE, KFLAME_UNIT_VALUE, 2, 10 },
	{ "kprobe:by_arg3", KFLAME_EVENT_KPROBE, KFLAME_UNIT_VALUE, 3, 20 },
	{ "kprobe:too", KFLAME_EVENT_KPROBE, KFLAME_UNIT_VALUE, 3, 40 },
};

/* Two samples of each event, with two more that were lost */
static void add_event(struct mk *m, uint32_t id, const struct event *of)
{
	const struct kflame_event_count count = { .weight = of->weight, .samples = 2, .kstack = STACK };
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = id, .kind = of->kind, .unit = of->unit, .arg = of->arg,
	};

	strcpy((char *)e.name, "cut");
	strcpy((char *)e.full_name, of->name);
	records_add(&m->r, &e, sizeof(e), NULL, 0);
	mk_event_counts(m, id, id - 1, &count, 1);
	mk_event_sums(m, id, 2, of->weight, KFLAME_LOST_NESTED, 2);
}

static int setup(void **state)
{
	struct mk m = { 0 };

	(void)state;
	enter_scratch();
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, STACK, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE }, 1);
	for (uint32_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		add_event(&m, i + 1, &events[i]);
	mk_stats(&m);
	mk_functions(&m, CODE, (const char *const[]){ "f", NULL });
	mk_end(&m);
	write_file("kflame.data", m.r.data, m.r.len);
	mk_free(&m);
	return 0;
}

static void those_that_count_the_same_are_roots(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_has("out", "kretprobe:vfs_read;", true);
	assert_has("out", ";f 3000\n", true);
	assert_has("out", "kretprobe:vfs_write;", true);
	assert_has("out", ";f 1000\n", true);
	assert_has("out", "tracepoint", false);
}

static void they_can_be_named(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--event kretprobe:vfs_write -o out"), 0);
	assert_has("out", "kretprobe", false);
	assert_has("out", ";f 1000\n", true);
	assert_int_equal(run(cmd_fold, "--event kretprobe:vfs_write --root event -o out"), 0);
	assert_has("out", "kretprobe:vfs_write;", true);
	assert_int_equal(run(cmd_fold, "--event kretprobe:vfs_write,kretprobe:vfs_read --root comm -o out"), 0);
	assert_has("out", ";f 4000\n", true);
	assert_has("out", "kretprobe", false);
}

static void a_report_adds_them_up(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", "events   kretprobe:vfs_read, kretprobe:vfs_write\n", true);
	assert_has("out", "4,000 units returned", true);
	assert_has("out", "lost     4: nested 4\n", true);
	assert_has("out", "not here tracepoint:a:b, kprobe:by_arg2, kprobe:by_arg3, kprobe:too (--event NAME shows one)\n",
		   true);
	assert_int_equal(run(cmd_flame, "-o out.svg"), 0);
	assert_has("out.svg", "kretprobe:vfs_write", true);
}

static void arguments_have_their_number(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_has("out", "kprobe", false);
	assert_int_equal(run(cmd_report, "--event kprobe:by_arg3,kprobe:too -o out"), 0);
	assert_has("out", "60 units of arg3", true);
	assert_int_equal(run(cmd_flame, "--event kprobe:by_arg3,kprobe:too -o out.svg"), 0);
	assert_has("out.svg", "60 units of arg3", true);
	assert_has("out.svg", "returned", false);
	assert_int_equal(run(cmd_report, "--event kprobe:by_arg2,kprobe:by_arg3 -o gone"), 1);
	assert_has("said", "kprobe:by_arg2 and kprobe:by_arg3 cannot be added up, because they count different things", true);
	assert_int_equal(run(cmd_report, "--event kprobe:by_arg2,kretprobe:vfs_read -o gone"), 1);
	assert_has("said", "kprobe:by_arg2 and kretprobe:vfs_read cannot be added up", true);
	assert_int_equal(access("gone", F_OK), -1);
}

static void others_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--event kretprobe:vfs_read,tracepoint:a:b -o out"), 1);
	assert_has("said", "kretprobe:vfs_read and tracepoint:a:b cannot be added up, because they count different things", true);
	assert_int_equal(run(cmd_fold, "--event kretprobe:vfs_read,cpu-clock -o out"), 1);
	assert_has("said", "has no event 'cpu-clock'", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_count_the_same_are_roots),
		cmocka_unit_test(they_can_be_named),
		cmocka_unit_test(a_report_adds_them_up),
		cmocka_unit_test(arguments_have_their_number),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests_name("joint events", tests, setup, leave_scratch);
}
