/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * step_position.h - state of a walk by cached steps, and how a step changes it
 *
 * Every read lies on the task's own stack, whatever registers and bp say. Context: as
 * kstack/kstack.h.
 */
#ifndef KF_STEP_POSITION_H
#define KF_STEP_POSITION_H

#include <linux/compiler.h>
#include <linux/stddef.h>

#include "kstack/own_stack.h"
#include "kstack/step_cache.h"

#ifdef KF_HAVE_ORC_STATE

/* Registers of the frame that a walk has reached */
struct kf_place {
	unsigned long ip, sp, bp;
};

/* Are these the registers with which the task came from user mode? */
static __always_inline bool kf_is_entry(unsigned long regs)
{
	if (regs != (unsigned long)task_pt_regs(current))
		return false;
	/* Only user mode, without the vsyscall page: there the unwinder decides. */
	return kf_kstack_word(regs + offsetof(struct pt_regs, cs)) & 3 &&
	       (long)kf_kstack_word(regs + offsetof(struct pt_regs, ip)) >= 0;
}

static __always_inline unsigned long kf_regs_by(u64 step, const struct kf_place *p)
{
	return (step & KF_STEP_BY_BP ? p->bp : p->sp) + kf_step_cfa(step);
}

/* Is this where the task came from user mode, or began? */
static __always_inline bool kf_is_end(u64 step, const struct kf_place *p)
{
	return (step & KF_STEP_KIND) == KF_STEP_END ||
	       ((step & KF_STEP_KIND) == KF_STEP_REGS && kf_is_entry(kf_regs_by(step, p)));
}

/*
 * The CFA of a call by bp, which may have any value.
 * Return: 0 if the CFA, or bp saved below it, is not on the stack; or if the CFA is not above sp.
 */
static __always_inline unsigned long kf_cfa_by_bp(u64 step, const struct kf_place *p,
						  const struct kf_bounds *stack)
{
	unsigned long cfa = p->bp + kf_step_cfa(step);

	if (cfa <= p->sp || cfa > stack->high || cfa % sizeof(long) ||
	    cfa - kf_step_saved(step) < stack->low)
		return 0;
	return cfa;
}

enum kf_left { KF_LEFT, KF_AT_END, KF_UNSUPPORTED };

/*
 * Step to the caller. Every read is on the task's stack, and every frame is above the one before:
 * sp is a multiple of 8, a plain step's CFA is above sp, and saved words are between both.
 */
static __always_inline enum kf_left kf_leave(u64 step, struct kf_place *p,
					     const struct kf_bounds *stack)
{
	unsigned long saved = kf_step_saved(step), cfa;

	if (likely((s64)step < 0)) {
		cfa = p->sp + kf_step_cfa(step);
		if (unlikely(cfa > stack->high))
			return KF_UNSUPPORTED;
		if (saved)
			p->bp = kf_kstack_word(p->sp + saved - sizeof(long));
	} else if ((step & KF_STEP_KIND) == KF_STEP_CALL) {
		cfa = kf_cfa_by_bp(step, p, stack);
		if (!cfa)
			return KF_UNSUPPORTED;
		if (saved)
			p->bp = kf_kstack_word(cfa - saved);
	} else {
		return KF_AT_END;
	}
	p->ip = kf_kstack_word(cfa - sizeof(long));
	p->sp = cfa;
	return KF_LEFT;
}

#endif

#endif
