/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaf.h - the caller of a leaf function, which a walk by frame pointers would miss
 *
 * A leaf function often has no frame record. The first record is then its caller's and leads to the
 * caller's caller. The return address is in the word at the stack pointer (x86) or in the link
 * register (arm64). It is kept as a candidate if a call comes before it, and if it differs from the
 * record's return address.
 */
#ifndef KF_LEAF_H
#define KF_LEAF_H

#include "base/call_site.h"
#include "ustack/read_word.h"
#include "ustack/ustack.h"

#define KF_LEAF_AGAIN	64U

/* The ABIs mark the outermost frame by zero, as frame pointer and as return address. */
static __always_inline u32 kf_end_with(unsigned long word)
{
	return word ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
}

/*
 * Read the return address of the first frame record. If the read faults, the caller does not read
 * the record again, because a fault is expensive.
 * Return: false: there is no first record, and @end says why.
 */
static __always_inline bool kf_read_first(struct pt_regs *regs, unsigned long span,
					  unsigned long *ret, u32 *end)
{
	const unsigned long fp = kf_user_fp(regs);
	unsigned long word = 0;

	*ret = 0;
	if (fp < kf_user_lowest_fp(regs) || !kf_is_record(fp, span)) {
		*end = kf_end_with(fp);
		return false;
	}
	KF_READ_WORD(kf_user_nospec(fp, span) + sizeof(long), word, fault);
	*ret = kf_strip_pac(word);
	return true;
fault:
	*end = KFLAME_END_FAULT;
	return false;
}

/**
 * kf_leaf_candidate() - the candidate caller of a leaf function
 * @regs:	registers of user mode
 * @span:	kf_user_span()
 * @ret:	the return address in the first frame record, 0 if there is none
 * @leaf:	this CPU's
 *
 * Context: user access is open, so it is inlined.
 * Return: a return address, which may be the next frame; 0 if there is no candidate.
 */
static __always_inline unsigned long kf_leaf_candidate(struct pt_regs *regs, unsigned long span,
						       unsigned long ret, struct kf_leaf *leaf)
{
	unsigned long cand = 0, code = 0;

	if (kf_candidate_on_stack) {
		if (unlikely(!kf_is_user(regs->sp, span)))
			return 0;
		KF_READ_WORD(kf_user_nospec(regs->sp, span), cand, none);
	} else {
		cand = kf_candidate_in_register(regs);
	}
	if (!kf_is_user(cand, span) || cand == ret)
		return 0;
	if (cand == leaf->address && leaf->again && leaf->mm == current->mm) {
		leaf->again--;
		return 0;
	}
	KF_READ_WORD(kf_user_nospec(cand, span) - 8, code, absent);
	return kf_after_call(code) ? cand : 0;
absent:
	leaf->address = cand;
	leaf->mm = current->mm;
	leaf->again = KF_LEAF_AGAIN;
none:
	return 0;
}

#endif
