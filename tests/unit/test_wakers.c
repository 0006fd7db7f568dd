// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_wakers.c - who ended waits: the records, the stacks with a waker, and the table of pairs
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

#include "cmd/record_command_line.h"
#include "mkprofile.h"
#include "run_command.h"

#define MS	1000000ull
#define CODE	0xffffffff81000000ull
#define TEXT	0x400000ull
#define UPPER	(1ull << 32)
#define EVENT	1

/* Kernel functions, 0x100 bytes each */
static const char *const functions[] = {
	"vfs_read", "schedule", "wake_up", "vfs_write", "hrtimer_wakeup", "asm_sysvec_apic_timer_interrupt",
	"innocent", "net_rx_action", "__do_softirq", "entry", NULL,
};

enum { VFS_READ, SCHEDULE, WAKE_UP, VFS_WRITE, TIMER, VECTOR, INNOCENT, NET, SOFTIRQ, ENTRY };
enum { WAIT = 1, BY_TASK, BY_TIMER, BY_NET, BY_NET_AT_ONCE, USER };

static void put_kernel_stack(struct mk *m, uint64_t id, const int *frames, uint32_t nr)
{
	uint64_t ips[8];

	for (uint32_t i = 0; i < nr; i++)
		ips[i] = CODE + 0x100 * (uint64_t)frames[i] + 0x10;
	mk_stack(m, id, KFLAME_STACK_KERNEL, ips, nr);
}

static void put_program(struct mk *m)
{
	mk_file(m, 1, "/bin/writer");
	mk_aspace(m, 2, "writer");
	mk_mapping(m, 2, TEXT, TEXT + 0x10000, 1, 0);
	records_usym(&m->r, 1, 0x1000, 0x1100, "put_line");
	records_usym(&m->r, 1, 0x2000, 0x2100, "main");
	mk_stack(m, USER, KFLAME_STACK_USER, (uint64_t[]){ TEXT + 0x1010, TEXT + 0x2010 }, 2);
}

static void put_stacks(struct mk *m)
{
	put_kernel_stack(m, WAIT, (int[]){ SCHEDULE, VFS_READ }, 2);
	put_kernel_stack(m, BY_TASK, (int[]){ WAKE_UP, VFS_WRITE }, 2);
	put_kernel_stack(m, BY_TIMER, (int[]){ WAKE_UP, TIMER, VECTOR, INNOCENT, ENTRY }, 5);
	put_kernel_stack(m, BY_NET, (int[]){ WAKE_UP, NET, SOFTIRQ, VECTOR, INNOCENT }, 5);
	put_kernel_stack(m, BY_NET_AT_ONCE, (int[]){ WAKE_UP, NET, SOFTIRQ, INNOCENT, ENTRY }, 5);
}

static void head(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_off_cpu(m, EVENT);
	put_program(m);
	put_stacks(m);
}

static void put_wait(struct mk *m, uint64_t waker, uint64_t ms)
{
	mk_wake(m, EVENT, KFLAME_CTX_INTERRUPTIBLE, waker,
		&(struct kflame_event_count){ .weight = ms * MS, .samples = 1, .kstack = WAIT });
}

static void finish(struct mk *m, uint64_t waits, uint64_t ms)
{
	mk_event_sums(m, EVENT, waits, ms * MS, 0, 0);
	mk_functions(m, CODE, functions);
	mk_end(m);
	assert_false(m->r.failed);
}

static void make(const char *path)
{
	struct mk m = { 0 };

	head(&m);
	mk_waker(&m, UPPER | 1, KFLAME_CTX_TASK, BY_TASK, USER);
	mk_waker(&m, UPPER | 2, KFLAME_CTX_IRQ, BY_TIMER, 0);
	put_wait(&m, UPPER | 1, 30);
	put_wait(&m, UPPER | 2, 10);
	/* Another table: its ids are new, and one of its wakers is not */
	mk_waker(&m, 2 * UPPER | 1, KFLAME_CTX_SOFTIRQ, BY_NET, 0);
	mk_waker(&m, 2 * UPPER | 2, KFLAME_CTX_SOFTIRQ, BY_NET_AT_ONCE, 0);
	mk_waker(&m, 2 * UPPER | 7, KFLAME_CTX_TASK, BY_TASK, USER);
	mk_waker(&m, 2 * UPPER | 8, KFLAME_CTX_IDLE, 0, 0);
	put_wait(&m, 2 * UPPER | 1, 5);
	put_wait(&m, 2 * UPPER | 2, 1);
	put_wait(&m, 2 * UPPER | 7, 4);
	put_wait(&m, 2 * UPPER | 8, 3);
	mk_wait(&m, EVENT, 0, KFLAME_CTX_RUNNABLE, &(struct kflame_event_count){
		.weight = 2 * MS, .samples = 1, .kstack = WAIT });
	finish(&m, 7, 55);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data");
	return 0;
}

/* ------------------------------------------------------------------ stacks */

static const char with_wakers[] =
	"task;vfs_read;schedule;[runnable] 2000000\n"
	"task;vfs_read;schedule;[woken by a softirq];wake_up;net_rx_action;__do_softirq 6000000\n"
	"task;vfs_read;schedule;[woken by an interrupt];wake_up;hrtimer_wakeup;asm_sysvec_apic_timer_interrupt 10000000\n"
	"task;vfs_read;schedule;[woken by the idle task] 3000000\n"
	"task;vfs_read;schedule;[woken by writer];wake_up;vfs_write;put_line;main 34000000\n";

static void a_waker_is_on_top_of_the_wait(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--wakers -o out"), 0);
	assert_out("out", with_wakers);
	assert_int_equal(run(cmd_convert, "--wakers -o out.folded"), 0);
	assert_out("out.folded", with_wakers);
	assert_int_equal(run(cmd_convert, "--wakers -o out.pb.gz"), 0);
	assert_int_equal(run(cmd_diff, "kflame.data kflame.data --wakers -o out"), 0);
	assert_int_equal(run(cmd_flame, "--wakers -o out.svg"), 0);
	assert_has("out.svg", "<title>[woken by writer]\n", true);
	assert_has("out.svg", "innocent", false);
}

static void without_the_option_stacks_are_as_ever(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", "task;vfs_read;schedule 53000000\n"
		   "task;vfs_read;schedule;[runnable] 2000000\n");
}

static void wakers_are_merged(void **state)
{
	struct profile *p;

	(void)state;
	assert_int_equal(run(cmd_merge, "kflame.data kflame.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum --wakers -o out"), 0);
	assert_has("out", "[woken by a softirq];wake_up;net_rx_action;__do_softirq 12000000\n", true);
	assert_has("out", "[woken by writer];wake_up;vfs_write;put_line;main 68000000\n", true);
	p = open_profile("sum", &(struct naming){ .every_event = true });
	assert_non_null(p);
	assert_int_equal(p->damaged + p->lost_stacks + p->unknown, 0);
	profile_destroy(p);
}

static void a_profile_without_wakers_says_so(void **state)
{
	struct mk m = { 0 };

	(void)state;
	head(&m);
	mk_wait(&m, EVENT, 0, KFLAME_CTX_IOWAIT, &(struct kflame_event_count){
		.weight = MS, .samples = 1, .kstack = WAIT });
	finish(&m, 1, 1);
	write_file("none", m.r.data, m.r.len);
	mk_free(&m);
	assert_int_equal(run(cmd_fold, "-i none --wakers -o out"), 0);
	assert_out("out", "task;vfs_read;schedule 1000000\n");
	assert_has("said", "none shows no waits of which it is known who ended them: record with --wakers", true);
	assert_int_equal(run(cmd_report, "-i none --wakers -o out"), 0);
	assert_has("out", "No table by waker: the profile does not say who ended waits", true);
	assert_int_equal(run(cmd_fold, "-i none --root waker -o out"), 0);
	assert_has("said", "none shows no waits of which it is known who ended them: record with --wakers\n", true);
	assert_refused(cmd_fold, "--wakers --event cpu-clock", "--wakers shows who ended waits, and --event cpu-clock has none: leave --event away");
}

/* ------------------------------------------------------------------- pairs */

static void a_report_lists_pairs(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--wakers -o out"), 0);
	assert_has("out", " Total        Waits             Time  Who waited <- who ended it\n", true);
	assert_has("out", " 61.82%            2          34.0 ms  task (pid 101 tid 101) <- writer (pid 102)\n", true);
	assert_has("out", " 10.0 ms  task (pid 101 tid 101) <- [an interrupt]\n", true);
	assert_has("out", " 6.0 ms  task (pid 101 tid 101) <- [a softirq]\n", true);
	assert_has("out", " 3.0 ms  task (pid 101 tid 101) <- [the idle task]\n", true);
	assert_has("out", " 2.0 ms  task (pid 101 tid 101) <- [waited for a CPU]\n", true);
	assert_int_equal(run(cmd_report, "--wakers --json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"by_waker\":", true);
	assert_has("out", "task (pid 101 tid 101) <- writer (pid 102)\"", true);
	assert_int_equal(run(cmd_fold, "--root waker -o out"), 0);
	assert_has("out", "task (pid 101 tid 101) <- [an interrupt];task;vfs_read;schedule 10000000\n", true);
}

static void info_says_of_how_many(void **state)
{
	(void)state;
	assert_int_equal(system(KFLAME_TOOL " info >out"), 0);
	assert_has("out", "               6  waits ended; of 6 of them the waker is known\n", true);
	assert_int_equal(system(KFLAME_TOOL " info --raw >out"), 0);
	assert_has("out", "\nevent.1.ended=6\nevent.1.woken=6\n", true);
}

/* A thread waits where it blocked. The waker's frames are only shown with it */
static void self_is_where_a_thread_blocked(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--wakers --by function -o out"), 0);
	assert_has("out", " 96.36% 100.00%          53.0 ms  kernel   -       schedule\n", true);
	assert_has("out", "  0.00%  61.82%           0.0 ms  user     writer  main\n", true);
	assert_int_equal(run(cmd_report, "--wakers --annotate schedule -o out"), 0);
	assert_has("out", "self 53.0 ms", true);
	assert_int_equal(run(cmd_report, "--wakers --annotate main -o out"), 0);
	assert_has("out", "self 0.0 ms", true);
}

/* ----------------------------------------------------------------- records */

static struct profile *taken(struct mk *m)
{
	struct profile *p = mk_profile(m);

	assert_non_null(p);
	mk_free(m);
	return p;
}

static void equal_wakers_are_one(void **state)
{
	struct profile *p = open_profile(NULL, &(struct naming){ .every_event = true });

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->nr_wakers, 5);
	assert_int_equal(p->nr_counts, 6);
	assert_int_equal(p->damaged + p->lost_stacks + p->unknown, 0);
	profile_destroy(p);
}

/* Ids of another table, of none, of a count: the waits are counted, and their wakers are not known */
static void ids_that_do_not_exist(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	head(&m);
	mk_waker(&m, UPPER | 1, KFLAME_CTX_TASK, BY_TASK, USER);
	mk_waker(&m, 2 * UPPER | 1, KFLAME_CTX_TASK, 99, WAIT);	/* no stack, and one of the kernel */
	put_wait(&m, 2 * UPPER | 1, 1);
	put_wait(&m, UPPER | 1, 2);
	put_wait(&m, 2 * UPPER | 9, 4);
	put_wait(&m, ~0ull, 8);
	put_wait(&m, 0, 16);
	finish(&m, 5, 31);
	write_file("hostile", m.r.data, m.r.len);
	p = taken(&m);
	assert_int_equal(p->lost_stacks, 2 + 3);
	assert_int_equal(p->events[0].weight, 31 * MS);
	profile_destroy(p);
	run(cmd_fold, "-i hostile --wakers -o out");
	assert_out("out", "task;vfs_read;schedule 16000000\n"
		   "task;vfs_read;schedule;[damaged: waker] 14000000\n"
		   "task;vfs_read;schedule;[woken by writer];[damaged: kernel stack];[damaged: user stack] 1000000\n");
	run(cmd_merge, "hostile hostile -o sum");
	run(cmd_fold, "-i sum --wakers -o out");
	assert_has("out", "[damaged: waker] 28000000\n", true);
}

/* A waker names stacks only.  So one whose stack has its own id, or a waker's, has a stack that does not exist */
static void a_waker_has_no_waker(void **state)
{
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	head(&m);
	mk_waker(&m, UPPER | 1, KFLAME_CTX_TASK, UPPER | 1, UPPER | 1);
	mk_waker(&m, UPPER | 2, KFLAME_CTX_TASK, UPPER | 1, 0);
	put_wait(&m, UPPER | 1, 1);
	put_wait(&m, UPPER | 2, 1);
	finish(&m, 2, 2);
	p = taken(&m);
	assert_int_equal(p->nr_wakers, 2);
	assert_int_equal(p->lost_stacks, 3);
	profile_destroy(p);
}

static void malformed(void **state)
{
	struct kflame_rec_waker w = { .rec.type = KFLAME_REC_WAKER, .id = 1, .context = KFLAME_CTX_TASK };
	struct kflame_rec_wake_counts c = { .rec.type = KFLAME_REC_WAKE_COUNTS, .event = EVENT, .nr = 2,
		.context = KFLAME_CTX_IOWAIT };
	const struct kflame_wake_count one = { .of = { .weight = 1, .samples = 1 }, .waker = 1 };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	head(&m);
	mk_waker(&m, 0, KFLAME_CTX_TASK, BY_TASK, 0);
	mk_waker(&m, UPPER | 1, KFLAME_CTX_GAP, BY_TASK, 0);
	mk_waker(&m, UPPER | 2, KFLAME_CTX_INTERRUPTIBLE, BY_TASK, 0);
	mk_waker(&m, UPPER | 3, UINT32_MAX, BY_TASK, 0);
	records_add(&m.r, &w, sizeof(w) - 8, NULL, 0);
	records_add(&m.r, &c, sizeof(c), &one, sizeof(one));
	c.event = EVENT + 1;
	c.nr = 1;
	records_add(&m.r, &c, sizeof(c), &one, sizeof(one));
	c.event = EVENT;
	c.context = KFLAME_CTX_IRQ;
	records_add(&m.r, &c, sizeof(c), &one, sizeof(one));
	finish(&m, 0, 0);
	p = taken(&m);
	assert_int_equal(p->damaged, 8);
	assert_int_equal(p->nr_wakers, 0);
	assert_int_equal(p->nr_counts, 0);
	profile_destroy(p);
}

/* ----------------------------------------------------------------- options */

static void the_option_records_waits(void **state)
{
	struct record_options o;

	(void)state;
	assert_int_equal(record_options_parse(&o, 2, ((char *[]){ (char *)"kflame record", (char *)"--wakers", NULL })), 0);
	assert_true(o.wakers);
	assert_int_equal(o.nr_events, 1);
	assert_int_equal(o.events[0].kind, KFLAME_EVENT_OFFCPU);
	record_options_exit(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waker_is_on_top_of_the_wait),
		cmocka_unit_test(without_the_option_stacks_are_as_ever),
		cmocka_unit_test(wakers_are_merged),
		cmocka_unit_test(a_profile_without_wakers_says_so),
		cmocka_unit_test(a_report_lists_pairs),
		cmocka_unit_test(info_says_of_how_many),
		cmocka_unit_test(self_is_where_a_thread_blocked),
		cmocka_unit_test(equal_wakers_are_one),
		cmocka_unit_test(ids_that_do_not_exist),
		cmocka_unit_test(a_waker_has_no_waker),
		cmocka_unit_test(malformed),
		cmocka_unit_test(the_option_records_waits),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
