/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack_leaf.h - the caller of a leaf, which a walk by frame pointers would miss
 *
 * A leaf often has no frame record, so the first one is its caller's and leads to that one's
 * caller. The word at the stack pointer (x86), or the link register (arm64), is where the
 * return address then is. It is kept as a candidate if a call comes before it, and if it is
 * not what the frame record says anyway.
 */
#ifndef KF_USTACK_LEAF_H
#define KF_USTACK_LEAF_H

#include "ustack.h"
#include "ustack_read.h"

#define KF_LEAF_AGAIN	64U

/**
 * kf_leaf_candidate() - the candidate caller of a leaf
 * @regs:	registers of user mode
 * @span:	KF_USER_SPAN
 * @leaf:	this CPU's
 *
 * Context: user access is open; inlined for that.
 * Return: a return address, which is the next frame if it is one; 0: there is none.
 */
static __always_inline unsigned long kf_leaf_candidate(struct pt_regs *regs, unsigned long span,
						       struct kf_leaf *leaf)
{
	unsigned long fp = kf_user_fp(regs), ret = 0, cand = 0, code = 0;

	if (kf_candidate_on_stack) {
		if (unlikely(!kf_is_user(regs->sp, span)))
			return 0;
		KF_READ_WORD(regs->sp, cand, none);
	} else {
		cand = kf_candidate_in_register(regs);
	}
	if (!kf_is_user(cand, span))
		return 0;
	if (fp >= kf_user_lowest_fp(regs) && kf_is_record(fp, span))
		KF_READ_WORD(fp + sizeof(long), ret, no_record);
no_record:
	if (cand == kf_strip_pac(ret))
		return 0;
	if (cand == leaf->address && leaf->again && leaf->mm == current->mm) {
		leaf->again--;
		return 0;
	}
	KF_READ_WORD(cand - 8, code, absent);
	return kf_after_call(code) ? cand : 0;
absent:
	leaf->address = cand;
	leaf->mm = current->mm;
	leaf->again = KF_LEAF_AGAIN;
none:
	return 0;
}

#endif
