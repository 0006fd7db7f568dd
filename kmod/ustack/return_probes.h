/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * return_probes.h - user stacks of functions whose return somebody probes (uretprobes)
 *
 * The kernel has replaced the return addresses of such functions by that of its trampoline. A walk finds
 * the true one by the place on the stack where the trampoline's address is.
 *
 * x86-64 only: on arm64 the address is in a register first, so its place is not known, and the stack ends
 * at the trampoline.
 */
#ifndef KF_RETURN_PROBES_H
#define KF_RETURN_PROBES_H

#include <linux/sched.h>
#include <linux/uprobes.h>

#include "store/frames.h"

/**
 * struct kf_returns - the return addresses of current that were replaced, outermost ones last
 * @nr:		how many
 * @trampoline:	the user address that replaced them
 * @at:		user addresses where the trampoline's is, rising
 * @to:		what was there
 *
 * Context: one on each CPU, for the walk that is running.
 */
struct kf_returns {
	u32 nr;
	unsigned long trampoline;
	unsigned long at[64];
	unsigned long to[64];
};

#if defined(CONFIG_X86_64) && defined(CONFIG_UPROBES)

void kf_returns_init(void);
void kf_returns_exit(void);
struct kf_returns *kf_returns_collect(unsigned long sp);
void kf_returns_restore(const struct kf_returns *r, struct pt_regs *regs, struct kf_frames *f);

/* Return: NULL, which is usual: no return address of current is replaced. @sp: its user stack pointer */
static __always_inline struct kf_returns *kf_returns_of_current(unsigned long sp)
{
	return likely(!current->utask) ? NULL : kf_returns_collect(sp);
}

#else

static __always_inline struct kf_returns *kf_returns_of_current(unsigned long sp)
{
	return NULL;
}

static inline void kf_returns_init(void)
{
}

static inline void kf_returns_exit(void)
{
}

static inline void kf_returns_restore(const struct kf_returns *r, struct pt_regs *regs, struct kf_frames *f)
{
}

#endif

/* The true return address for @ip, which was read from the stack at @at. Inlined: user access is open. */
static __always_inline unsigned long kf_returns_find(const struct kf_returns *r, unsigned long at,
						     unsigned long ip)
{
	u32 i;

	if (ip == r->trampoline)
		for (i = 0; i < r->nr; i++)
			if (r->at[i] == at)
				return r->to[i];
	return ip;
}

#endif
