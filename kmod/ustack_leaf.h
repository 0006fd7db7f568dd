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

#include "frames.h"
#include "ustack_read.h"

/**
 * kf_leaf_candidate() - keep a leaf's candidate caller as the next frame of @f, if there is one
 * @regs:	registers of user mode
 * @depth:	most frames
 * @f:		has one frame
 *
 * Context: user access is open; inlined for that.
 */
static __always_inline void kf_leaf_candidate(struct pt_regs *regs, u32 depth,
					      struct kf_frames *f)
{
	const unsigned long span = KF_USER_SPAN;
	unsigned long fp = kf_user_fp(regs), ret = 0, cand = 0, code = 0;

	if (fp >= kf_user_lowest_fp(regs) && kf_is_record(fp, span))
		KF_READ_WORD(fp + sizeof(long), ret, no_record);
no_record:
	if (kf_candidate_on_stack) {
		if (kf_is_user(regs->sp, span))
			KF_READ_WORD(regs->sp, cand, no_candidate);
	} else {
		cand = kf_candidate_in_register(regs);
	}
	if (!kf_is_user(cand, span) || cand == kf_strip_pac(ret) || depth < 2)
		return;
	KF_READ_WORD(cand - 8, code, no_candidate);
	if (!kf_after_call(code))
		return;
	f->candidate = f->nr;
	f->ip[f->nr++] = cand;
no_candidate:
	return;
}

#endif
