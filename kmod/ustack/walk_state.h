/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk_state.h - where a walk of a user stack by unwind tables is, and its result
 */
#ifndef KF_WALK_STATE_H
#define KF_WALK_STATE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "ustack/by_tables.h"
#include "ustack/user_arch.h"

struct kf_leaf;
struct pt_regs;

/* How a place is left: by a KFLAME_END_*, or one of these. */
enum kf_how {
	KF_BY_RULE = KFLAME_END_MASK + 1,
	KF_BY_FP,
	KF_GO_ON,			/* a step was made */
	KF_NOT_PLAIN,
	KF_NOT_KNOWN,		/* nothing is remembered of this place, for now */
};

/**
 * struct kf_uplace - where a walk is
 * @ip:		program counter, or return address
 * @sp:		stack pointer; with @sp_lost it is not below this
 * @fp:		frame pointer
 * @regs:	the interrupted registers, while they are this frame's; else NULL
 * @sigcontext:	user address of the registers, where a signal interrupted this frame; else 0
 * @saved:	user address where KFLAME_BASE_REG of this frame is; 0: it still is in @base_regs
 * @base_regs:	the interrupted registers; NULL once a signal frame was passed
 * @base_signal: registers of the last signal frame that was passed
 * @fp_lost:	@fp is not known
 * @base_lost:	nor is KFLAME_BASE_REG
 * @sp_lost:	nor is @sp, after a step by frame pointer: see kf_cfa_behind_record
 * @faults:	frame pointers that could not be read
 */
struct kf_uplace {
	unsigned long ip;
	unsigned long sp;
	unsigned long fp;
	struct pt_regs *regs;
	unsigned long sigcontext;
	unsigned long saved;
	struct pt_regs *base_regs;
	unsigned long base_signal;
	bool fp_lost;
	bool base_lost;
	bool sp_lost;
	u32 faults;
};

/* Each is a page fault in the handler. */
#define KF_UWALK_FAULTS	8U

/* Is @ip where it was interrupted, not where a call returns to? */
static __always_inline bool kf_is_exact(const struct kf_uplace *p)
{
	return p->regs || p->sigcontext;
}

/* Where this is impossible, the compiler removes the question. */
static __always_inline bool kf_is_sp_lost(const struct kf_uplace *p)
{
	return !kf_cfa_behind_record && p->sp_lost;
}

/*
 * One walk: how many frames it has, which of them is a candidate, and its steps by what showed the
 * way; @known: of them, without a search; @again: of these, as they were before. @cold: what was
 * written down is not to be used any more: it would be read where the walk would not. @unknown: from
 * this frame on, counted from 1, all are in no known mapping; 0: the last one is in one.
 */
struct kf_usteps {
	u32 nr;
	u32 candidate;
	struct kf_leaf *leaf;
	u32 table;
	u32 fp;
	u32 known;
	u32 again;
	u32 pending;
	u32 unknown;
	bool cold;
};

/* What is remembered of a place is here, if anything is. */
static __always_inline struct kf_uknown *kf_uknown_at(const struct kf_uspace *s, u64 place)
{
	return &s->cpu->known[hash_64(place + s->aspace, KF_UKNOWN_BITS)];
}

#endif
