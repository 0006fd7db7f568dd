/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_stack.h - bounds of the interrupted task's kernel stack
 *
 * The task is interrupted, so nothing writes to the part of its stack above the interrupted stack
 * pointer, and the stack exists as long as the task does. (A sample of a page fault in the kernel,
 * and of a wait, runs on that very stack, below it.) Registers and frames may hold anything:
 * kf_bounds checks that a read lies on this stack.
 * Context: as kstack/kstack.h.
 */
#ifndef KF_OWN_STACK_H
#define KF_OWN_STACK_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

/*
 * Read a word of that stack. It may be poisoned for KASAN, which must not report the read. KASAN
 * with hardware tags does not tag stacks. READ_ONCE_NOCHECK() is avoided elsewhere, because with
 * LTO it faults on a word that is not aligned, and the alignment is checked only later.
 */
static __always_inline unsigned long kf_kstack_word(unsigned long address)
{
#if defined(CONFIG_KASAN_GENERIC) || defined(CONFIG_KASAN_SW_TAGS)
	return READ_ONCE_NOCHECK(*(unsigned long *)address);
#else
	return *(unsigned long *)address;
#endif
}

/* Bounds of the task's own stack */
struct kf_bounds {
	unsigned long low, high;
};

static __always_inline struct kf_bounds kf_own_stack(void)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	return (struct kf_bounds){ low, low + THREAD_SIZE };
}

/* May a walk begin at this stack pointer? */
static __always_inline bool kf_is_on(const struct kf_bounds *stack, unsigned long sp)
{
	return sp >= stack->low && sp < stack->high && !(sp % sizeof(long));
}

#endif
