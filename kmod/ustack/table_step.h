/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table_step.h - one step of a walk by unwind tables, from a frame to its caller
 *
 * kf_step_by_rule() follows any rule. Most rules have a faster path: ustack/quick_steps.h.
 *
 * Context: the timer's hard interrupt, with user access open, so all is inlined.
 */
#ifndef KF_TABLE_STEP_H
#define KF_TABLE_STEP_H

#include <linux/types.h>

#include "ustack/read_word.h"
#include "ustack/walk_state.h"

static __always_inline bool kf_is_plain_rule(const struct kflame_rule *r)
{
	return (r->cfa == KFLAME_CFA_SP || r->cfa == KFLAME_CFA_FP) &&
	       r->ra == KFLAME_IN_CFA && (r->fp == KFLAME_IN_SAME || r->fp == KFLAME_IN_CFA);
}

/* Read a register other than sp and fp. Return: false if its value in this frame is unknown. */
static __always_inline bool kf_read_reg(const struct kf_uplace *p, u32 reg, unsigned long span,
					unsigned long *value)
{
	bool is_base = reg == KFLAME_BASE_REG && !p->base_lost;
	struct pt_regs *regs = is_base && !p->saved ? p->base_regs : p->regs;
	unsigned long signal = is_base ? p->base_signal : p->sigcontext;
	unsigned long at = is_base && p->saved ? p->saved : signal + kf_sigcontext_reg(reg);

	if (regs) {
		*value = kf_user_reg(regs, reg);
		return true;
	}
	if ((!signal && !(is_base && p->saved)) || !kf_is_record(at, span))
		return false;
	KF_READ_WORD(kf_user_nospec(at, span), *value, fault);
	return true;
fault:
	return false;
}

/* Step to the frame that a signal interrupted, whose registers are on the stack. */
static __always_inline u32 kf_step_signal(struct kf_uplace *p, s32 offset, unsigned long span)
{
	unsigned long at = p->sp + offset;

	if (kf_is_sp_lost(p) || !kf_is_record(at, span - KF_SIGCONTEXT_BYTES))
		return KFLAME_END_BAD_CFA;
	at = kf_user_nospec(at, span);
	KF_READ_WORD(at + KF_SIGCONTEXT_IP, p->ip, fault);
	KF_READ_WORD(at + KF_SIGCONTEXT_SP, p->sp, fault);
	KF_READ_WORD(at + KF_SIGCONTEXT_FP, p->fp, fault);
	p->regs = NULL;
	p->base_regs = NULL;
	p->sigcontext = at;
	p->base_signal = at;
	p->saved = 0;
	p->fp_lost = false;
	p->base_lost = false;
	return KF_GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* Compute the canonical frame address. Return: KF_GO_ON or KFLAME_END_*. */
static __always_inline u32 kf_read_cfa(const struct kf_uplace *p, const struct kflame_rule *r,
				       unsigned long span, unsigned long *cfa)
{
	unsigned long at = 0;

	switch (r->cfa) {
	case KFLAME_CFA_CLONE:
		if (!kf_read_reg(p, 0, span, &at) || !at)
			return KFLAME_END_COMPLETE;
		fallthrough;
	case KFLAME_CFA_SP:
		*cfa = p->sp + r->cfa_offset;
		return KF_GO_ON;
	case KFLAME_CFA_FP:
	case KFLAME_CFA_FP_ELSEWHERE:
		*cfa = p->fp + r->cfa_offset;
		return p->fp_lost ? KFLAME_END_BAD_CFA : KF_GO_ON;
	case KFLAME_CFA_REG:
		if (!kf_read_reg(p, r->reg, span, cfa))
			return KFLAME_END_BAD_CFA;
		*cfa += r->cfa_offset;
		return KF_GO_ON;
	case KFLAME_CFA_PLT:
		*cfa = p->sp + 8 + ((p->ip & 15) >= r->cfa_offset ? 8 : 0);
		return KF_GO_ON;
	case KFLAME_CFA_AT_FP:
		if (p->fp_lost)
			return KFLAME_END_BAD_CFA;
		at = p->fp + r->cfa_offset;
		break;
	default: /* KFLAME_CFA_AT_SP */
		at = p->sp + r->cfa_offset;
		break;
	}
	if (!kf_is_record(at, span))
		return KFLAME_END_BAD_CFA;
	KF_READ_WORD(kf_user_nospec(at, span), *cfa, fault);
	*cfa += r->cfa_add;
	return KF_GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* Read the caller's value of a register. Return: KF_GO_ON or KFLAME_END_*. */
static __always_inline u32 kf_read_saved(const struct kf_uplace *p, u8 in, s32 offset, u32 reg,
					 unsigned long cfa, unsigned long span,
					 unsigned long *value)
{
	unsigned long at;

	switch (in) {
	case KFLAME_IN_CFA:
		at = cfa + offset;
		break;
	case KFLAME_IN_SP:
		at = p->sp + offset;
		break;
	case KFLAME_IN_FP:
		if (p->fp_lost)
			return KFLAME_END_BAD_CFA;
		at = p->fp + offset;
		break;
	default: /* KFLAME_IN_REG; for return addresses also KFLAME_IN_SAME */
		return kf_read_reg(p, reg, span, value) ? KF_GO_ON : KFLAME_END_BAD_CFA;
	}
	if (!kf_is_record(at, span))
		return KFLAME_END_BAD_CFA;
	KF_READ_WORD(kf_user_nospec(at, span), *value, fault);
	return KF_GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/*
 * sp is lost, but the frame pointer points to a frame record. If the record is this frame's, @r
 * says how far above sp it is. Return: true if sp is known now.
 */
static __always_inline bool kf_find_sp(struct kf_uplace *p, const struct kflame_rule *r,
				       unsigned long span)
{
	unsigned long sp = p->fp - r->fp_offset - r->cfa_offset;

	if (r->cfa != KFLAME_CFA_SP || r->fp != KFLAME_IN_CFA || r->ra != KFLAME_IN_CFA ||
	    r->ra_offset != r->fp_offset + (s32)sizeof(long) || sp < p->sp || sp & 15 ||
	    !kf_is_record(sp, span))
		return false;
	p->sp = sp;
	p->sp_lost = false;
	return true;
}

/* Does @r need sp, or a register that was lost with sp? */
static __always_inline bool kf_wants_lost_sp(const struct kf_uplace *p,
					     const struct kflame_rule *r)
{
	if (r->cfa == KFLAME_CFA_SIGNAL)
		return false;	/* a signal frame is found by sp, or not at all */
	return (r->cfa != KFLAME_CFA_FP && r->cfa != KFLAME_CFA_AT_FP &&
		r->cfa != KFLAME_CFA_FP_ELSEWHERE) ||
	       (r->ra != KFLAME_IN_CFA && r->ra != KFLAME_IN_FP) || r->fp == KFLAME_IN_SP;
}

/* Note where the caller's KFLAME_BASE_REG is saved. */
static __always_inline void kf_pass_base(struct kf_uplace *p, s32 offset, unsigned long cfa)
{
	p->base_lost = offset == KFLAME_BASE_LOST;
	if (!p->base_lost)
		p->saved = cfa + offset;
}

/*
 * Stacks grow downwards, so the CFA must be above sp. Two kinds of functions have an empty frame,
 * where the CFA equals sp: a leaf on arm64, and a function that moved its return address to a
 * register, as vfork() does. With KFLAME_CFA_FP_ELSEWHERE there are two stacks, and either may be
 * the lower one. Then only the walk's depth limits it.
 */
static __always_inline bool kf_leads_outwards(const struct kf_uplace *p, const struct kflame_rule *r,
					      unsigned long cfa)
{
	if (r->cfa == KFLAME_CFA_FP_ELSEWHERE)
		return true;
	if (cfa == p->sp)
		return kf_is_exact(p) && !(kf_candidate_on_stack && r->ra != KFLAME_IN_REG);
	return cfa > p->sp;
}

/* Step to the caller by a rule of a table. Return: KF_GO_ON or KFLAME_END_*. */
static __always_inline u32 kf_step_by_rule(struct kf_uplace *p, const struct kflame_rule *r,
					   unsigned long span)
{
	unsigned long cfa = 0, ip = 0, fp = p->fp;
	bool lost = p->fp_lost;
	u32 end;

	if (r->cfa == KFLAME_CFA_SIGNAL)
		return kf_step_signal(p, r->cfa_offset, span);
	end = kf_read_cfa(p, r, span, &cfa);
	if (end != KF_GO_ON)
		return end;
	if (!kf_is_record(cfa, span) || !kf_leads_outwards(p, r, cfa))
		return KFLAME_END_BAD_CFA;
	end = kf_read_saved(p, r->ra, r->ra_offset, r->ra == KFLAME_IN_SAME ? KF_LINK_REG : r->reg,
			    cfa, span, &ip);
	if (end != KF_GO_ON)
		return end;
	if (r->fp == KFLAME_IN_LOST) {
		lost = true;
	} else if (r->fp != KFLAME_IN_SAME) {
		/*
		 * An unreadable fp matters only if a later step needs it. But each fault costs
		 * time.
		 */
		lost = kf_read_saved(p, r->fp, r->fp_offset, r->reg, cfa, span, &fp) != KF_GO_ON;
		if (lost && ++p->faults == KF_UWALK_FAULTS)
			return KFLAME_END_FAULT;
	}
	if (r->base_offset)
		kf_pass_base(p, r->base_offset, cfa);
	p->ip = kf_strip_pac(ip);
	p->sp = cfa;
	p->fp = fp;
	p->fp_lost = lost;
	p->sp_lost = false;
	p->regs = NULL;
	p->sigcontext = 0;
	return KF_GO_ON;
}

/*
 * kf_step_by_rule() for the most common rules: the CFA is sp or fp plus an offset, and saved
 * registers are at offsets from the CFA. It takes less than half of the instructions. Return:
 * KF_GO_ON; KFLAME_END_FAULT; KF_NOT_PLAIN: the step does not fit here, use kf_step_by_rule().
 */
static __always_inline u32 kf_step_plain(struct kf_uplace *p, const struct kflame_rule *r,
					 unsigned long span)
{
	bool by_fp = r->cfa == KFLAME_CFA_FP;
	unsigned long cfa = (by_fp ? p->fp : p->sp) + r->cfa_offset;
	unsigned long at = cfa + r->ra_offset, ip, fp;

	if ((by_fp ? p->fp_lost : kf_is_sp_lost(p)) || cfa <= p->sp || !kf_is_record(cfa, span) ||
	    !kf_is_record(at, span))
		return KF_NOT_PLAIN;
	KF_READ_WORD(kf_user_nospec(at, span), ip, fault);
	if (r->fp != KFLAME_IN_SAME) {
		at = cfa + r->fp_offset;
		if (!kf_is_record(at, span))
			return KF_NOT_PLAIN;
		KF_READ_WORD(kf_user_nospec(at, span), fp, fp_fault);
		p->fp = fp;
		p->fp_lost = false;
	}
	if (r->base_offset)
		kf_pass_base(p, r->base_offset, cfa);
	p->ip = kf_strip_pac(ip);
	p->sp = cfa;
	p->sp_lost = false;
	p->regs = NULL;
	p->sigcontext = 0;
	return KF_GO_ON;
fp_fault:
	return KF_NOT_PLAIN;
fault:
	return KFLAME_END_FAULT;
}

/* Step to the caller by the frame record at fp. Return: KF_GO_ON or KFLAME_END_*. */
static __always_inline u32 kf_step_by_fp(struct kf_uplace *p, unsigned long span)
{
	unsigned long next = 0, ret = 0;

	/* The ABIs mark the outermost frame by zero. */
	if (!p->fp && !p->fp_lost)
		return KFLAME_END_COMPLETE;
	if (p->fp_lost || p->fp < p->sp || !kf_is_record(p->fp, span))
		return KFLAME_END_BAD_FP;
	KF_READ_RECORD(kf_user_nospec(p->fp, span), next, ret, fault);
	p->ip = ret;
	p->sp = p->fp + 2 * sizeof(long);
	p->sp_lost = !kf_cfa_behind_record;
	p->fp = next;
	/* After a step by frame pointer it is unknown where KFLAME_BASE_REG was saved. */
	p->base_lost = true;
	p->regs = NULL;
	p->sigcontext = 0;
	return KF_GO_ON;
fault:
	return KFLAME_END_FAULT;
}

#endif
