// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_locks.c - report --locks: how long threads waited for locks, and which code took them
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
#include "views/locks.h"

#define LEN(array)	(sizeof(array) / sizeof((array)[0]))
#define MOST_FRAMES	16

/*
 * Frames of a stack, the innermost first, as "name": user functions begin with u:, inlined ones with i:, notes
 * with [.  @lock, @site: NULL for no lock
 */
static const struct {
	const char *frames[MOST_FRAMES];
	const char *lock, *site;
} stacks[] = {
	/* 6.1, gcc's suffixes */
	{ { "__schedule", "schedule", "schedule_preempt_disabled", "__mutex_lock.constprop.0", "mutex_lock",
	    "pipe_write.isra.0", "vfs_write", "u:main" }, "mutex", "pipe_write.isra.0" },
	{ { "__schedule", "schedule", "rwsem_down_read_slowpath.cold", "down_read", "do_user_addr_fault" },
	  "rwsem (read)", "do_user_addr_fault" },
	{ { "__schedule", "schedule", "rwsem_down_write_slowpath.part.0", "down_write_killable", "vm_mmap_pgoff" },
	  "rwsem (write)", "vm_mmap_pgoff" },
	{ { "__schedule", "schedule", "percpu_rwsem_wait", "__percpu_down_read", "cgroup_can_fork" },
	  "percpu rwsem (read)", "cgroup_can_fork" },
	{ { "schedule", "percpu_down_write", "freeze_super" }, "percpu rwsem (write)", "freeze_super" },
	{ { "schedule", "schedule_timeout", "___down_common", "__down_common", "__down", "down", "console_lock" },
	  "semaphore", "console_lock" },
	{ { "schedule", "rt_mutex_slowlock_block.constprop.0", "__rt_mutex_slowlock_locked.constprop.0",
	    "rt_mutex_slowlock.constprop.0", "i2c_transfer" }, "rt-mutex", "i2c_transfer" },
	/* -rt: the outermost function decides */
	{ { "__schedule", "schedule_rtlock", "rtlock_slowlock_locked", "rt_spin_lock", "folio_lruvec_lock_irqsave" },
	  "rtlock", "folio_lruvec_lock_irqsave" },
	{ { "__schedule", "rt_mutex_schedule", "rt_mutex_slowlock_block", "rt_mutex_slowlock.constprop.0",
	    "__mutex_lock_common", "mutex_lock", "tty_write" }, "mutex", "tty_write" },
	{ { "schedule", "rt_mutex_slowlock_block", "__rwbase_read_lock", "rwbase_read_lock", "down_read", "exit_mm" },
	  "rwsem (read)", "exit_mm" },
	/* futexes, 5.10 and newest, glibc 2.31 and 2.36 */
	{ { "__schedule", "schedule", "futex_wait_queue_me", "futex_wait", "do_futex", "__x64_sys_futex",
	    "do_syscall_64", "entry_SYSCALL_64_after_hwframe", "u:__lll_lock_wait", "u:__pthread_mutex_lock", "u:take",
	    "u:main" }, "futex (mutex)", "take" },
	{ { "schedule", "futex_do_wait", "__futex_wait", "futex_wait", "do_futex", "__arm64_sys_futex",
	    "u:__futex_abstimed_wait_common64", "u:__GI___futex_abstimed_wait_cancelable64",
	    "u:___pthread_cond_wait@@GLIBC_2.3.2", "i:std::condition_variable::wait(std::unique_lock<std::mutex>&)",
	    "u:worker" }, "futex (condition)", "worker" },
	{ { "schedule", "futex_wait_queue", "futex_wait", "u:__new_sem_wait_slow64.constprop.0", "u:sem_wait", "u:f" },
	  "futex (semaphore)", "f" },
	{ { "schedule", "rt_mutex_slowlock_block", "rt_mutex_wait_proxy_lock", "futex_lock_pi", "do_futex",
	    "u:pthread_mutex_lock", "u:g file.c:12" }, "futex (mutex)", "g file.c:12" },
	{ { "schedule", "futex_wait", "u:runtime.futex.abi0", "u:runtime.notesleep" }, "futex", "runtime.futex.abi0" },
	{ { "schedule", "futex_wait", "u:syscall", "u:f" }, "futex", "f" },
	/* a wait that had not ended; code whose caller is not known */
	{ { "[still waiting]", "schedule", "futex_wait", "do_futex" }, "futex", "[caller not known]" },
	{ { "[still waiting]", "schedule", "mutex_lock" }, "mutex", "[caller not known]" },
	{ { "schedule", "mutex_lock_nested", "u:main" }, "mutex", "main" },
	/* it holds a lock, and waits for something else; or it waits for no lock */
	{ { "schedule", "io_schedule", "folio_wait_bit_common", "mutex_lock", "f" }, NULL, NULL },
	{ { "schedule", "pipe_read", "u:pthread_mutex_lock" }, NULL, NULL },
	{ { "schedule", "schedule_timeout" }, NULL, NULL },
	{ { "mutex_lock_of_another_kind", "f" }, NULL, NULL },
	{ { "u:mutex_lock", "u:main" }, NULL, NULL },
	{ { "[runnable]" }, NULL, NULL },
	{ { NULL }, NULL, NULL },
};

static struct frame frame_of(const char *text)
{
	if (text[0] == '[')
		return (struct frame){ text, NULL, FRAME_NOTE };
	if (text[1] != ':')
		return (struct frame){ text, NULL, FRAME_KERNEL };
	return (struct frame){ text + 2, "prog", text[0] == 'u' ? FRAME_USER : FRAME_INLINED };
}

static void finds_locks_and_callers(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(stacks); i++) {
		struct frame frames[MOST_FRAMES], site = { .name = "none" };
		size_t nr = 0;
		const char *lock;

		while (stacks[i].frames[nr])
			nr++;
		for (size_t k = 0; k < nr; k++)
			frames[nr - 1 - k] = frame_of(stacks[i].frames[k]);
		lock = locks_find(frames, nr, &site);
		if (!lock != !stacks[i].lock || (lock && strcmp(lock, stacks[i].lock)))
			fail_msg("stack %zu: lock %s", i, lock ? lock : "none");
		if (lock && strcmp(site.name, stacks[i].site))
			fail_msg("stack %zu: from %s", i, site.name);
	}
}

/* Frames of running code, as above */
static const struct {
	const char *frames[MOST_FRAMES];
	const char *lock, *site;
} spins[] = {
	{ { "native_queued_spin_lock_slowpath", "_raw_spin_lock", "alloc_fd", "__x64_sys_dup", "u:main" }, "spinlock",
	  "alloc_fd" },
	{ { "native_queued_spin_lock_slowpath.part.0", "do_raw_spin_lock", "_raw_spin_lock_bh", "lock_sock_nested" },
	  "spinlock", "lock_sock_nested" },
	{ { "kvm_wait", "__pv_queued_spin_lock_slowpath", "_raw_spin_lock", "d_alloc" }, "spinlock", "d_alloc" },
	{ { "queued_read_lock_slowpath", "_raw_read_lock", "do_wait" }, "rwlock (read)", "do_wait" },
	{ { "queued_spin_lock_slowpath", "queued_write_lock_slowpath", "_raw_write_lock_irq", "release_task" },
	  "rwlock (write)", "release_task" },
	{ { "mutex_spin_on_owner", "__mutex_lock.constprop.0", "mutex_lock", "pipe_write" }, "mutex", "pipe_write" },
	{ { "osq_lock", "rwsem_optimistic_spin", "rwsem_down_write_slowpath", "down_write", "vma_link" },
	  "rwsem (write)", "vma_link" },
	{ { "osq_lock" }, "spinlock", "[caller not known]" },
	/* It took a lock that was free; it has the lock; it sleeps */
	{ { "_raw_spin_lock", "alloc_fd" }, NULL, NULL },
	{ { "find_next_zero_bit", "alloc_fd" }, NULL, NULL },
	{ { "__schedule", "schedule", "mutex_lock", "pipe_write" }, NULL, NULL },
	{ { "u:osq_lock", "u:main" }, NULL, NULL },
	{ { NULL }, NULL, NULL },
};

static void finds_spins(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(spins); i++) {
		struct frame frames[MOST_FRAMES], site = { .name = "none" };
		size_t nr = 0;
		const char *lock;

		while (spins[i].frames[nr])
			nr++;
		for (size_t k = 0; k < nr; k++)
			frames[nr - 1 - k] = frame_of(spins[i].frames[k]);
		lock = locks_find_spin(frames, nr, &site);
		if (!lock != !spins[i].lock || (lock && strcmp(lock, spins[i].lock)))
			fail_msg("stack %zu: lock %s", i, lock ? lock : "none");
		if (lock && strcmp(site.name, spins[i].site))
			fail_msg("stack %zu: from %s", i, site.name);
	}
}

/* A C library without symbols: its frames are skipped, and the lock is a futex of some kind */
static void a_library_without_names_is_skipped(void **state)
{
	struct frame frames[] = {
		{ "take", "prog", FRAME_USER }, { "[stripped: libc.so.6]", "libc.so.6", FRAME_USER },
		{ "futex_wait", NULL, FRAME_KERNEL }, { "schedule", NULL, FRAME_KERNEL },
	};
	struct frame site;

	(void)state;
	assert_string_equal(locks_find(frames, 4, &site), "futex");
	assert_string_equal(site.name, "take");
	frames[1].file = "libcrypto.so";
	assert_string_equal(locks_find(frames, 4, &site), "futex");
	assert_string_equal(site.name, "[stripped: libc.so.6]");
}

/* -------------------------------------------------------------------- table */

static const char *const functions[] = { "schedule", "mutex_lock", "pipe_write", "pipe_read", "down_read", "f" };

static void put_stacks(struct mk *m)
{
	mk_stack(m, MKWAITS_UPPER | 1, KFLAME_STACK_KERNEL,
		 (uint64_t[]){ mkwaits_code(0), mkwaits_code(1), mkwaits_code(2) }, 3);
	mk_stack(m, MKWAITS_UPPER | 2, KFLAME_STACK_KERNEL,
		 (uint64_t[]){ mkwaits_code(0), mkwaits_code(4), mkwaits_code(5) }, 3);
	mk_stack(m, MKWAITS_UPPER | 3, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(0), mkwaits_code(3) }, 2);
}

/*
 * Two threads wait in pipe_write(), the first one longer, on two CPUs. One waits elsewhere. What comes after the
 * wake-up is no wait for a lock.
 */
static void make(const char *path, bool timed)
{
	static const struct mkwaits some[] = {
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 0, 1, 10 * MS, 3, 0, 1100 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 102, 0, 1, 40 * MS, 1, 0, 1200 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 1, 1, 10 * MS, 3, 0, 1300 },
		{ true, KFLAME_CTX_RUNNABLE, 101, 0, 1, 500 * MS, 1, 0, 1900 },
		{ true, KFLAME_CTX_PREEMPTED, 101, 0, 1, 50 * MS, 1, 0, 1950 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 1, 2, 1500, 1, 0, 1960 },
		{ true, KFLAME_CTX_INTERRUPTIBLE, 101, 1, 3, 400 * MS, 1, 0, 1960 },
	};
	struct mk m = { 0 };

	mkwaits_begin(&m, MKWAITS_WAITS);
	put_stacks(&m);
	mkwaits_put(&m, some, LEN(some), timed);
	mkwaits_end(&m, path, functions, LEN(functions));
}

/* Two threads called writer ended four waits in pipe_write(), an interrupt two of them. Of the other lock it is not known */
static void make_woken(const char *path)
{
	static const struct mkwaits some[] = {
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 0, 1, 90 * MS, 3, 0, 1100 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 0, 1, 10 * MS, 2, 0, 1200 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 102, 0, 1, 10 * MS, 2, 0, 1200 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 101, 1, 2, 1500, 1, 0, 1960 },
		{ false, KFLAME_CTX_TASK, 101, 1, 0, MS, 1, 0, 1970 },
	};
	static const uint32_t wakers[] = { 1, 2, 3, 0, 0 };
	struct mk m = { 0 };

	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
	put_stacks(&m);
	mk_waker(&m, MKWAITS_UPPER | 1, KFLAME_CTX_IRQ, MKWAITS_UPPER | 2, 0);
	mk_waker(&m, MKWAITS_UPPER | 2, KFLAME_CTX_TASK, 0, 0);
	mk_waker(&m, MKWAITS_UPPER | 3, KFLAME_CTX_TASK, MKWAITS_UPPER | 2, 0);
	mkwaits_put_woken(&m, some, wakers, LEN(some), true);
	mkwaits_end(&m, path, functions, LEN(functions));
}

/* Two threads spin, and one computes */
static void make_spins(const char *path)
{
	static const char *const names[] = { "native_queued_spin_lock_slowpath", "_raw_spin_lock", "alloc_fd" };
	static const struct mkwaits some[] = {
		{ false, KFLAME_CTX_TASK, 101, 0, 1, MS, 3, 0, 1100 },
		{ false, KFLAME_CTX_TASK, 102, 1, 1, MS, 2, 0, 1200 },
		{ false, KFLAME_CTX_TASK, 103, 1, 2, MS, 4, 0, 1300 },
		{ true, KFLAME_CTX_UNINTERRUPTIBLE, 103, 1, 1, 7 * MS, 1, 0, 1960 },
	};
	struct mk m = { 0 };

	mkwaits_begin(&m, MKWAITS_TIMER | MKWAITS_WAITS);
	for (uint64_t upper = 0; upper <= MKWAITS_UPPER; upper += MKWAITS_UPPER) {
		mk_stack(&m, upper | 1, KFLAME_STACK_KERNEL,
			 (uint64_t[]){ mkwaits_code(0), mkwaits_code(1), mkwaits_code(2) }, 3);
		mk_stack(&m, upper | 2, KFLAME_STACK_KERNEL, (uint64_t[]){ mkwaits_code(1), mkwaits_code(2) }, 2);
	}
	mkwaits_put(&m, some, LEN(some), true);
	mkwaits_end(&m, path, names, LEN(names));
}

static void spins_are_the_timers(void **state)
{
	static const char table[] =
		"\nSpins for locks, with interrupts on\n    Samples             Time   Share  Lock      Spinner     Called from\n"
		"          5         5.000 ms  100.0%  spinlock  worker-101  alloc_fd\n";

	(void)state;
	assert_int_equal(run(cmd_report, "--locks --event cpu-clock -i spins.data -o out"), 0);
	assert_has("out", table, true);
	assert_has("out", "Waits for locks", false);
	assert_has("out", "\nnot here off-cpu (--event NAME shows one)\n", true);
	assert_int_equal(run(cmd_report, "--locks --wall -i spins.data -o out"), 0);
	assert_has("out", table, true);
	assert_has("out", "Waits for locks", true);
	assert_has("out", "not here", false);
	assert_int_equal(run(cmd_report, "--locks -i spins.data -o out"), 0);
	assert_has("out", "Spins", false);
	assert_int_equal(run(cmd_report, "--locks --event cpu-clock --include worker-103 -i spins.data -o out"), 0);
	assert_has("out", "\nNo sample was taken while a CPU spun for a lock.\n", true);
	assert_int_equal(run(cmd_report, "--locks --event cpu-clock --json -i spins.data -o out"), 0);
	assert_has("out", "{\"name\":\"alloc_fd\",\"file\":null,\"kind\":\"kernel\",\"lock\":\"spinlock\",\"spinner\":\"worker-101\",\"samples\":5,\"ns\":5000000}", true);
	assert_has("out", "\"spins_ns\": 5000000", true);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make_woken("woken.data");
	make_spins("spins.data");
	make("kflame.data", true);
	make("untimed.data", false);
	return 0;
}

static void table_is_by_caller(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--locks -o out"), 0);
	assert_has("out", "\nWaits for locks\n      Waits            Total           Mean   Share        Longest  Lock          Waiter      Called from\n"
		   "          7       100.000 ms      14.286 ms  100.0%      40.000 ms  mutex         worker-101  pipe_write\n"
		   "          1         0.002 ms       0.002 ms    0.0%       0.002 ms  rwsem (read)  worker-101  f\n", true);
	assert_has("out", "pipe_read", false);
	assert_has("out", "Function", false);
	assert_int_equal(run(cmd_report, "--locks --by comm -n 1 -o out"), 0);
	assert_has("out", "rwsem", false);
	assert_has("out", "-n 0", true);
	assert_has("out", "worker-101\n", true);
	assert_int_equal(run(cmd_report, "--locks --include worker-102 -o out"), 0);
	assert_has("out", "          1        40.000 ms ", true);
	assert_has("out", "rwsem", false);
	assert_int_equal(run(cmd_report, "--locks --include ^pipe_read -o out"), 0);
	assert_has("out", "\nNo thread waited for a lock.\n", true);
}

static void without_times_there_are_sums(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--locks -i untimed.data -o out"), 0);
	assert_has("out", "      14.286 ms  100.0%  mutex ", true);
	assert_has("out", "\nThe longest waits are not known: ", true);
	assert_has("out", "p50", false);
}

static void json_has_the_table(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "--locks --json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "{\"name\":\"pipe_write\",\"file\":null,\"kind\":\"kernel\",\"lock\":\"mutex\",\"waiter\":\"worker-101\",\"waits\":7,\"ns\":100000000,\"mean_ns\":14285714,\"timed\":7,\"longest_ns\":40000000}", true);
	assert_has("out", "\"locks_more\": 0", true);
	assert_has("out", "\"locks_ns\": 100001500", true);
	assert_has("out", "runq", false);
}

/* The frames of wakers are no part of the waits */
static void wakers_are_named(void **state)
{
	static const char table[] =
		"\nWaits for locks\n      Waits            Total           Mean   Share        Longest  "
		"Lock          Waiter      Woken by     Called from\n"
		"          7       310.000 ms      44.286 ms  100.0%      90.000 ms  mutex         worker-101  writer       pipe_write\n"
		"          1         0.002 ms       0.002 ms    0.0%       0.002 ms  rwsem (read)  worker-101  [not known]  f\n";

	(void)state;
	assert_int_equal(run(cmd_report, "--locks -i woken.data -o out"), 0);
	assert_has("out", table, true);
	assert_int_equal(run(cmd_report, "--locks --wakers -i woken.data -o out"), 0);
	assert_has("out", table, true);
	assert_has("out", "Who waited <- who ended it\n", true);
	assert_int_equal(run(cmd_report, "--locks --wall --wakers -i woken.data -o out"), 0);
	assert_has("out", table, true);
	assert_has("out", "[ran]", false);
	assert_int_equal(run(cmd_report, "--locks --json -i woken.data -o out"), 0);
	assert_has("out", "\"lock\":\"mutex\",\"waiter\":\"worker-101\",\"woken_by\":\"writer\",\"waits\":7,", true);
	assert_has("out", "\"woken_by\":null", true);
	assert_int_equal(run(cmd_report, "--locks -o out"), 0);
	assert_has("out", "Woken by", false);
	assert_int_equal(run(cmd_fold, "--wall --wakers --root waker -i woken.data -o out"), 0);
	assert_has("out", "worker-101 (pid 101 tid 101) [ran];worker-101", true);
	assert_has("out", "worker-101 (pid 101 tid 101) <- writer (pid 102);worker-101;pipe_write;mutex_lock;schedule;[woken by writer]", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_locks_and_callers),
		cmocka_unit_test(finds_spins),
		cmocka_unit_test(spins_are_the_timers),
		cmocka_unit_test(a_library_without_names_is_skipped),
		cmocka_unit_test(table_is_by_caller),
		cmocka_unit_test(without_times_there_are_sums),
		cmocka_unit_test(json_has_the_table),
		cmocka_unit_test(wakers_are_named),
	};

	return cmocka_run_group_tests(tests, setup, leave_scratch);
}
