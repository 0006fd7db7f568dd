// SPDX-License-Identifier: GPL-2.0-only
/*
 * below - a softirq on the back of a function that is interrupted at its first instruction
 *
 * From insmod to rmmod a thread waits in such a function, which has no frame of its own; every
 * four milliseconds a timer's softirq takes one of them. In the stacks of its samples that function
 * is in the middle, and its address is one that nothing returns to: less one it is in the function
 * before it. Another timer, in a hard interrupt, ends the waiting: softirqs may be left to a
 * thread, which may have to wait for this one. x86-64 only.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/version.h>

#define EACH_NS		(4 * NSEC_PER_MSEC)
#define SOFTIRQ_NS	(1 * NSEC_PER_MSEC)

#ifndef ASM_RET
#define ASM_RET "ret\n"
#endif

/* Waits until the word is not 0. */
void below_waits(int *over);

/* An emulator interrupts only where a jump goes to; a machine may do it at the jump, too. */
asm(".text\n"
	".type below_before, @function\n"
	"below_before:\n"
	ASM_RET
	".size below_before, . - below_before\n"
	".globl below_waits\n"
	".type below_waits, @function\n"
	"below_waits:\n"
	"	cmpl $0, (%rdi)\n"
	"	je below_waits\n"
	ASM_RET
	".size below_waits, . - below_waits\n");

static struct hrtimer soft, hard;
static struct task_struct *thread;
static int over;

static noinline void below_softirq(void)
{
	ktime_t end = ktime_add_ns(ktime_get(), SOFTIRQ_NS);

	while (ktime_before(ktime_get(), end))
		cpu_relax();
}

static enum hrtimer_restart spend(struct hrtimer *t)
{
	below_softirq();
	hrtimer_forward_now(t, EACH_NS);
	return HRTIMER_RESTART;
}

static enum hrtimer_restart wake(struct hrtimer *t)
{
	WRITE_ONCE(over, 1);
	hrtimer_forward_now(t, EACH_NS);
	return HRTIMER_RESTART;
}

static void init_timer(struct hrtimer *t, enum hrtimer_restart (*function)(struct hrtimer *),
		       enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(t, CLOCK_MONOTONIC, mode);
	t->function = function;
#else
	hrtimer_setup(t, function, CLOCK_MONOTONIC, mode);
#endif
}

/* So that its call is none that goes on elsewhere (a tail call) */
static noinline void below_caller(void)
{
	WRITE_ONCE(over, 0);
	below_waits(&over);
	barrier();
}

/* Timers are of the CPU they are started on, which is the thread's own. */
static int below_thread(void *unused)
{
	hrtimer_start(&hard, EACH_NS, HRTIMER_MODE_REL_PINNED_HARD);
	/* In the middle of the other's period: while it waits, not when that has ended */
	hrtimer_start(&soft, EACH_NS * 3 / 2, HRTIMER_MODE_REL_PINNED_SOFT);
	while (!kthread_should_stop()) {
		below_caller();
		cond_resched();
	}
	return 0;
}

static int __init below_init(void)
{
	thread = kthread_create(below_thread, NULL, "below");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, raw_smp_processor_id());
	init_timer(&hard, wake, HRTIMER_MODE_REL_PINNED_HARD);
	init_timer(&soft, spend, HRTIMER_MODE_REL_PINNED_SOFT);
	wake_up_process(thread);
	return 0;
}
module_init(below_init);

/* The thread ends because the hard one does not yet. */
static void __exit below_exit(void)
{
	kthread_stop(thread);
	hrtimer_cancel(&soft);
	hrtimer_cancel(&hard);
}
module_exit(below_exit);

MODULE_DESCRIPTION("a softirq on the back of a function's first instruction");
MODULE_LICENSE("GPL");
