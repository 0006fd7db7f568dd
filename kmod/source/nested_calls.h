/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nested_calls.h - when a task's calls of a program's function began that have not returned
 *
 * Functions call themselves, so a task may have several such calls. A call is known by the stack pointer at
 * the function's first instruction.
 */
#ifndef KF_NESTED_CALLS_H
#define KF_NESTED_CALLS_H

#include <linux/string.h>
#include <linux/types.h>

/* The kernel follows no more calls of a task at once: MAX_URETPROBE_DEPTH. */
#define KF_MOST_NESTED	64U

/* How many calls may jump to the function one after the other, at one stack pointer */
#define KF_MOST_JUMPED	8U

/**
 * struct kf_nested_calls - the calls of a task, the innermost one last
 * @nr:		how many
 * @sp:		their stack pointers, which never rise
 * @began_ns:	when they began, CLOCK_MONOTONIC; never 0
 *
 * Zero is a valid value: no calls.
 */
struct kf_nested_calls {
	u32 nr;
	unsigned long sp[KF_MOST_NESTED];
	u64 began_ns[KF_MOST_NESTED];
};

/* A call below @sp has not returned, and is gone: longjmp() or an exception has left it. */
static inline void kf_nested_forget_below(struct kf_nested_calls *c, unsigned long sp)
{
	while (c->nr && c->sp[c->nr - 1] < sp)
		c->nr--;
}

/*
 * A call at @sp is there if the function was jumped to from it, or if longjmp() has left it. So many that the
 * first holds for all are not to be expected: forget the oldest one.
 */
static inline void kf_nested_forget_oldest(struct kf_nested_calls *c, unsigned long sp)
{
	u32 nr = 0;
	u64 *began;

	while (nr < c->nr && c->sp[c->nr - 1 - nr] == sp)
		nr++;
	if (nr < KF_MOST_JUMPED)
		return;
	began = &c->began_ns[c->nr - nr];
	memmove(began, began + 1, (nr - 1) * sizeof(*began));
	c->nr--;
}

/* The task calls the function. Return: false if there is no room */
static inline bool kf_nested_begin(struct kf_nested_calls *c, unsigned long sp, u64 now_ns)
{
	kf_nested_forget_below(c, sp);
	kf_nested_forget_oldest(c, sp);
	if (c->nr == KF_MOST_NESTED)
		return false;
	c->sp[c->nr] = sp;
	c->began_ns[c->nr++] = now_ns;
	return true;
}

/* A call has returned. @sp: as in kf_nested_begin(). Return: when it began; 0 if that is not known */
static inline u64 kf_nested_end(struct kf_nested_calls *c, unsigned long sp)
{
	kf_nested_forget_below(c, sp);
	if (!c->nr || c->sp[c->nr - 1] != sp)
		return 0;
	return c->began_ns[--c->nr];
}

#endif
