// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_planted.c - kflame summary of machines with a planted problem: its first 40 lines name the cause
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

#include "mkplant.h"

#define LINES	40
#define S	1000000000ull

static void put(struct plant *p, struct planted at)
{
	plant_put(p, &at);
}

/* Daemons that sleep, and a little work of several programs: what every machine has */
static void put_usual(struct plant *p)
{
	static const char *const daemons[] = { "sshd", "cron", "dbus-daemon", "systemd", "rsyslogd", "agetty" };
	char stack[128];

	for (uint32_t i = 0; i < 6; i++) {
		snprintf(stack, sizeof(stack), "%s;u:main;u:loop_%u;__x64_sys_epoll_wait;ep_poll;schedule", daemons[i], i);
		if (p->events & PLANT_WAITS)
			put(p, (struct planted){ .event = PLANT_WAITS, .context = KFLAME_CTX_INTERRUPTIBLE,
						 .pid = 200 + i, .stack = stack, .samples = 10, .ns = 9 * S });
		put(p, (struct planted){ .pid = 200 + i, .stack = stack, .samples = 20 + i });
	}
	for (uint32_t i = 0; i < 30 && p->events & PLANT_WAITS; i++)
		put(p, (struct planted){ .event = PLANT_WAITS, .context = KFLAME_CTX_INTERRUPTIBLE, .pid = 10 + i,
					 .stack = "kworker/0:1;kthread;worker_thread;schedule", .samples = 3, .ns = 9 * S });
}

/* The first lines of a summary, to be freed */
static char *summary(const char *arguments)
{
	char line[256], *text, *at;

	snprintf(line, sizeof(line), "-o out %s", arguments);
	if (run(cmd_summary, line))
		fail_msg("kflame summary %s: %s", line, said);
	text = golden_read("out");
	assert_non_null(text);
	assert_true(strlen(text) <= 8192);
	at = text;
	for (int i = 0; i < LINES && at; i++) {
		at = strchr(at, '\n');
		at += at ? 1 : 0;
	}
	if (at)
		*at = 0;
	if (getenv("SHOW"))
		fputs(text, stderr);
	return text;
}

/* One of the lines has all of the words, up to NULL */
static void assert_line(const char *text, const char *const *words)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *copy = strndup(line, (size_t)(end - line));
		bool has = true;

		for (size_t i = 0; words[i]; i++)
			has &= strstr(copy, words[i]) != NULL;
		free(copy);
		if (has)
			return;
	}
	fail_msg("no line has \"%s\" and so on:\n%s", words[0], text);
}

#define shows(text, ...) assert_line(text, (const char *const []){ __VA_ARGS__, NULL })

/* Ends the profile, and prints its summary */
static char *finish(struct plant *p)
{
	plant_end(p, "kflame.data");
	return summary("");
}

static void begin(struct plant *p, unsigned int events)
{
	plant_begin(p, 2, events);
	put_usual(p);
}

/* ----------------------------------------------------------------- problems */

/*
 * struct problem - what a usual machine has in addition, and what its page says
 * @times: how many processes have each of @all, on alternating CPUs; a '#' in a name becomes a digit
 * @lines: words that are together on one line, up to NULL
 */
struct problem {
	const char *name;
	unsigned int events;
	uint32_t times;
	struct planted all[3];
	const char *lines[2][5];
};

#define TIMER		.event = PLANT_TIMER
#define WAITS(state)	.event = PLANT_WAITS, .context = KFLAME_CTX_##state

static const struct problem problems[] = {
	/* CPUs */
	{ "cpu_hog", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 666, .samples = 9700, .stack = "hog;u:main;u:work;u:spin_forever" } },
	  { { "* hog (pid 666) keeps", "user 100.0%" }, { "+-", "hog: spin_forever [prog]" } } },
	{ "softirq_storm", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .context = KFLAME_CTX_SOFTIRQ, .pid = 66, .samples = 4000, .stack =
		  "ksoftirqd/1;run_ksoftirqd;handle_softirqs;net_rx_action;__napi_poll;e1000_clean;nf_hook_slow" },
		{ TIMER, .cpu = 1, .context = KFLAME_CTX_SOFTIRQ, .pid = 777, .samples = 4000, .stack =
		  "web;u:main;handle_softirqs;net_rx_action;__napi_poll;e1000_clean;nf_hook_slow" } },
	  { { "* softirqs take 80", "of CPU 1", "net_rx_action", "nf_hook_slow" } } },
	{ "interrupts_off", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 55, .samples = 80, .ns = 4 * S, .late_ns = 4 * S - 80 * PLANT_PERIOD, .stack =
		  "kworker/1:2;kthread;process_one_work;bad_driver_poll;_raw_spin_unlock_irqrestore" } },
	  { { "* late time: for 3,9",
	      "mostly until process_one_work > bad_driver_poll > _raw_spin_unlock_irqrestore in kworker/1:2" } } },
	{ "stolen_cpu", PLANT_TIMER, 1, {
		{ TIMER, .context = KFLAME_CTX_GAP, .stack = "", .samples = 12, .ns = 3 * S } },
	  { { "* CPUs were away for 3,000.0 ms", "a hypervisor took them" }, { "CPUs  ", "gap 15.0%" } } },
	{ "guest", PLANT_TIMER, 1, {
		{ TIMER, .context = KFLAME_CTX_GUEST, .pid = 999, .samples = 8000, .stack =
		  "qemu-kvm;u:kvm_vcpu_thread;__x64_sys_ioctl;kvm_vcpu_ioctl;vcpu_enter_guest" } },
	  { { "* virtual machines run for 40.", "qemu-kvm (pid 999)" }, { "CPUs  ", "guest 40." } } },

	/* Work of the kernel */
	{ "runaway_system_call", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 321, .samples = 5000, .stack =
		  "poller;u:main;u:check;entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_poll;do_sys_poll" },
		{ TIMER, .cpu = 1, .pid = 321, .samples = 1000, .stack = "poller;u:main;u:check" } },
	  { { "* the system call poll takes 8", "in poller" } } },
	/* The function that the dispatcher calls may call the next one last: then only that one is on the stack */
	{ "runaway_system_call_by_another_name", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 321, .samples = 3000, .stack =
		  "reader;u:main;u:check;entry_SYSCALL_64_after_hwframe;do_syscall_64;ksys_read;vfs_read" },
		{ TIMER, .cpu = 1, .pid = 321, .samples = 2900, .stack =
		  "reader;u:main;u:check;do_syscall_64;syscall_exit_to_user_mode;exit_to_user_mode_prepare" },
		{ TIMER, .cpu = 1, .pid = 322, .samples = 2000, .stack =
		  "access;u:main;do_syscall_64;do_faccessat;user_path_at_empty;__x64_sys_none" } },
	  { { "* the system call read takes 3", "in reader" } } },
	{ "spinlock", PLANT_TIMER, 4, {
		{ TIMER, .pid = 500, .samples = 2000, .stack =
		  "dup-#;u:main;__x64_sys_dup;alloc_fd;_raw_spin_lock;native_queued_spin_lock_slowpath" } },
	  { { "* CPUs spin for locks in 9", "spinlock taken in alloc_fd", "by dup-" } } },
	{ "page_faults_on_cpu", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 401, .samples = 6000, .stack =
		  "toucher;u:main;u:fill;asm_exc_page_fault;exc_page_fault;handle_mm_fault;clear_page_erms" } },
	  { { "* page faults: 9", "by toucher in main > fill > asm_exc_page_fault" } } },
	{ "hot_page_fault", PLANT_TIMER | PLANT_FAULTS, 1, {
		{ TIMER, .cpu = 1, .pid = 401, .samples = 900, .stack = "toucher;u:main;u:fill" },
		{ .event = PLANT_FAULTS, .pid = 401, .samples = 500000, .stack = "toucher;u:main;u:fill;u:memset" },
		{ .event = PLANT_FAULTS, .pid = 402, .samples = 1000, .stack = "sshd;u:main" } },
	  { { "* 501,000 page faults (50,100 in a second), 99.8% of them by toucher in main > fill > memset" } } },
	{ "reclaim", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 44, .samples = 3000, .stack =
		  "kswapd0;kthread;kswapd;balance_pgdat;shrink_node;shrink_lruvec" },
		{ TIMER, .pid = 402, .samples = 2000, .stack = "eater;u:main;asm_exc_page_fault;handle_mm_fault;__alloc_pages;"
		  "try_to_free_pages;shrink_node;shrink_lruvec" } },
	  { { "* the search for free memory (reclaim): 9", "by kswapd0" } } },
	{ "compaction", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 45, .samples = 3000, .stack =
		  "kcompactd0;kthread;kcompactd;compact_zone.isra.0;migrate_pages" } },
	  { { "* compaction of memory: 9", "by kcompactd0" } } },
	{ "other_cpus", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 403, .samples = 3000, .stack = "unmapper;u:main;__x64_sys_munmap;flush_tlb_mm_range;"
		  "on_each_cpu_cond_mask;smp_call_function_many_cond" } },
	  { { "* waiting for other CPUs to answer", "by unmapper" } } },
	{ "console", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 56, .samples = 1000, .stack = "kworker/1:0;kthread;noisy_driver_work;_printk;"
		  "vprintk_emit;console_unlock;serial8250_console_write" } },
	  { { "* writing messages to the console", "kworker/1:0 in noisy_driver_work > _printk > vprintk_emit" } } },
	{ "itself", PLANT_TIMER, 1, {
		{ TIMER, .cpu = 1, .pid = 57, .samples = 1000, .stack = "kflame;u:main;u:make_table" } },
	  { { "* kflame itself takes 88." }, { "kflame report --no-self" } } },

	/* Waits */
	{ "kernel_lock_convoy", PLANT_TIMER | PLANT_WAITS, 8, {
		{ WAITS(UNINTERRUPTIBLE), .pid = 600, .samples = 100, .ns = 3 * S, .waker = "writer-1", .stack =
		  "writer-#;u:main;__x64_sys_write;pipe_write;mutex_lock;__mutex_lock.constprop.0;schedule" } },
	  { { "* threads waited 24,000.0 ms (800 waits) for a mutex taken in pipe_write", "woken by writer-1" } } },
	{ "user_lock_convoy", PLANT_TIMER | PLANT_WAITS, 8, {
		{ WAITS(INTERRUPTIBLE), .pid = 700, .samples = 100, .ns = 5 * S, .stack =
		  "pool-#;u:main;u:take_job;u:pthread_mutex_lock;do_futex;futex_wait;schedule" } },
	  { { "* threads waited 40,000.0 ms (800 waits) for a futex (mutex) taken in take_job", "pool-" } } },
	{ "priority_inversion", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(UNINTERRUPTIBLE), .pid = 801, .samples = 10, .ns = 5 * S, .waker = "low", .stack =
		  "high;u:main;__x64_sys_ioctl;dev_ioctl;mutex_lock;__mutex_lock;schedule" },
		{ WAITS(PREEMPTED), .pid = 802, .samples = 10, .ns = 5 * S, .stack =
		  "low;u:main;__x64_sys_ioctl;dev_ioctl;dev_work" },
		{ TIMER, .cpu = 1, .pid = 803, .samples = 5000, .stack = "middle;u:main;u:compute" } },
	  { { "* priority inversion? high waited 5,000.0 ms for a mutex in dev_ioctl that low releases",
	      "low waited 5,000.0 ms for a CPU" } } },
	{ "slow_disk", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(IOWAIT), .pid = 810, .samples = 90, .ns = 9 * S, .stack = "postgres;u:main;u:read_page;"
		  "__x64_sys_pread64;ext4_file_read_iter;filemap_read;io_schedule;schedule" } },
	  { { "* I/O wait: 9,000.0 ms in 90 waits, most of it postgres in", "ext4_file_read_iter > filemap_read" },
	    { "threads  waited", "I/O wait" } } },
	{ "swap", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(IOWAIT), .pid = 820, .samples = 800, .ns = 8 * S, .stack = "firefox;u:main;u:gc;asm_exc_page_fault;"
		  "handle_mm_fault;do_swap_page;folio_wait_bit;io_schedule;schedule" } },
	  { { "* swapping (memory is short): threads waited 8,000.0 ms", "firefox" } } },
	{ "hung_in_d_state", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(UNINTERRUPTIBLE) | KFLAME_CTX_STILL, .pid = 830, .ns = 95 * S / 10, .stack =
		  "backup;u:main;__x64_sys_stat;nfs_getattr;rpc_wait_bit_killable;schedule" } },
	  { { "* D state", "9,500.0 ms in 1 wait,", "backup in __x64_sys_stat > nfs_getattr > rpc_wait_bit_killable" } } },
	{ "stopped", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(STOPPED) | KFLAME_CTX_STILL, .pid = 840, .ns = 9 * S, .stack =
		  "mysqld;u:main;get_signal;do_signal_stop;schedule" } },
	  { { "* stopped threads", "mysqld in" } } },
	{ "run_queue", PLANT_TIMER | PLANT_WAITS, 8, {
		{ TIMER, .pid = 850, .samples = 2400, .stack = "cc1-#;u:main;u:parse" },
		{ WAITS(PREEMPTED), .pid = 850, .samples = 500, .ns = 7 * S, .stack = "cc1-#;u:main;u:parse" } },
	  { { "* run queue: threads that could run waited 56,000.0 ms for a CPU (4,000 waits), most: cc1-" } } },
	{ "switches", PLANT_TIMER | PLANT_WAITS, 1, {
		{ WAITS(INTERRUPTIBLE), .pid = 860, .samples = 900000, .ns = 60 * S, .stack =
		  "ping;u:main;__x64_sys_read;pipe_read;schedule" } },
	  { { "* very many waits: 900,150 (90,015 in a second), 100.0% of them of ping (pid 860)" } } },
};

#define NR_PROBLEMS	(sizeof(problems) / sizeof(problems[0]))

static void put_times(struct plant *p, struct planted at, uint32_t times)
{
	char stack[256], *digit;

	snprintf(stack, sizeof(stack), "%s", at.stack);
	digit = strchr(stack, '#');
	at.stack = stack;
	for (uint32_t i = 0; i < times; i++) {
		if (digit)
			*digit = (char)('0' + i);
		if (times > 1)
			at.cpu = i % 2;
		put(p, at);
		at.pid++;
	}
}

static void names_the_cause(void **state)
{
	const struct problem *problem = *state;
	struct plant p;
	char *text;

	begin(&p, problem->events);
	for (size_t i = 0; i < 3 && problem->all[i].stack; i++)
		put_times(&p, problem->all[i], problem->times);
	text = finish(&p);
	for (size_t i = 0; i < 2 && problem->lines[i][0]; i++)
		assert_line(text, problem->lines[i]);
	free(text);
}

/* What every machine has is not unusual */
static void usual_machine(void **state)
{
	struct plant p;
	char *text;

	(void)state;
	begin(&p, PLANT_TIMER | PLANT_WAITS);
	text = finish(&p);
	shows(text, "Unusual: nothing that kflame looks for");
	free(text);
}

/* ---------------------------------------------------------------- processes */

static void fork_loop(void **state)
{
	struct plant p;
	char *text;

	(void)state;
	begin(&p, PLANT_TIMER);
	put(&p, (struct planted){ .cpu = 1, .pid = 1000, .samples = 3000,
		.stack = "build.sh;u:main;u:fork;__x64_sys_clone;kernel_clone;copy_process" });
	for (uint32_t i = 0; i < 300; i++)
		put(&p, (struct planted){ .cpu = i % 2, .pid = 2000 + i, .samples = 3, .young = true,
					  .stack = i % 10 ? "true;u:main" : "false;u:main" });
	text = finish(&p);
	shows(text, "* short-lived processes: at least 300 began, 270 of them true, started by build.sh");
	shows(text, "making and ending processes", "build.sh");
	free(text);
}

static void no_names(void **state)
{
	struct plant p;
	char *text;

	(void)state;
	begin(&p, PLANT_TIMER);
	put(&p, (struct planted){ .cpu = 1, .pid = 404, .samples = 5000, .stack = "java;u:main" });
	/* Code of no mapping and of no symbol */
	mk_stack(&p.m, ++p.stacks, KFLAME_STACK_USER, (uint64_t[]){ 0x7f0000001000 }, 1);
	mk_count_rec(&p.m, (struct kflame_rec_count){ .aspace = 7, .ustack = p.stacks, .samples = 4000, .cpu = 0,
		.weight_ns = 4000 * PLANT_PERIOD, .tgid = 404, .tid = 404, .comm = "java" });
	p.samples[0] += 4000;
	p.ns[0] += 4000 * PLANT_PERIOD;
	text = finish(&p);
	shows(text, "of the samples end in code without a name", "[unmapped]");
	free(text);
}

static void lost_samples(void **state)
{
	struct plant p;
	char *text;

	(void)state;
	begin(&p, PLANT_TIMER);
	p.lost[0] = 5000;
	text = finish(&p);
	shows(text, "* 20.0% of the samples of cpu-clock are lost (5,000), mostly by \"table full\": record with more --entries");
	free(text);
}

static void cut_profile(void **state)
{
	struct plant p;
	char *text;

	(void)state;
	begin(&p, PLANT_TIMER);
	plant_end(&p, "whole");
	assert_int_equal(system("head -c -48 whole >kflame.data"), 0);
	assert_int_equal(run(cmd_summary, "-o out"), 1);
	text = golden_read("out");
	shows(text, "* the profile is not complete");
	free(text);
}

/* ------------------------------------------------------------------ changes */

static void make_build(const char *path, uint64_t slow)
{
	struct plant p;

	begin(&p, PLANT_TIMER);
	put(&p, (struct planted){ .cpu = 1, .pid = 900, .samples = 2000, .stack = "cc1;u:main;u:parse" });
	put(&p, (struct planted){ .cpu = 1, .pid = 900, .samples = slow, .stack = "cc1;u:main;u:optimize;u:alias_walk" });
	plant_end(&p, path);
}

static void slower_build(void **state)
{
	char *text;

	(void)state;
	make_build("before", 300);
	make_build("kflame.data", 4000);
	text = summary("before kflame.data");
	shows(text, "Changed since before (997 Hz");
	shows(text, "12.3% ->", "65.2%", "alias_walk");
	free(text);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	return 0;
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(usual_machine), cmocka_unit_test(fork_loop), cmocka_unit_test(no_names),
		cmocka_unit_test(lost_samples), cmocka_unit_test(cut_profile), cmocka_unit_test(slower_build),
	};
	struct CMUnitTest tests[NR_PROBLEMS + sizeof(others) / sizeof(others[0])];

	for (size_t i = 0; i < NR_PROBLEMS; i++)
		tests[i] = (struct CMUnitTest){ .name = problems[i].name, .test_func = names_the_cause,
						.initial_state = (void *)&problems[i] };
	memcpy(tests + NR_PROBLEMS, others, sizeof(others));
	return cmocka_run_group_tests_name("planted", tests, setup, leave_scratch);
}
