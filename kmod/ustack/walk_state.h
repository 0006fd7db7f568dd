/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk_state.h - state of a walk of a user stack by unwind tables, and its result
 */
#ifndef KF_WALK_STATE_H
#define KF_WALK_STATE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "ustack/by_tables.h"
#include "ustack/user_arch.h"

struct kf_leaf;
struct pt_regs;

/* How a walk steps from an address: one of these, or KFLAME_END_* if it ends there */
enum kf_how {
	KF_BY_RULE = KFLAME_END_MASK + 1,
	KF_BY_FP,
	KF_GO_ON,			/* a step was made */
	KF_NOT_PLAIN,
	KF_NOT_KNOWN,		/* no answer is cached for this address yet */
};

/**
 * struct kf_uplace - the frame that a walk has reached
 * @ip:		program counter, or return address
 * @sp:		stack pointer; with @sp_lost a lower bound of it
 * @fp:		frame pointer
 * @regs:	the interrupted registers, while they are this frame's; else NULL
 * @sigcontext:	user address of the registers if a signal interrupted this frame; else 0
 * @saved:	user address where KFLAME_BASE_REG of this frame is; 0: it still is in @base_regs
 * @base_regs:	the interrupted registers; NULL once a signal frame was passed
 * @base_signal: registers of the last signal frame that was passed
 * @fp_lost:	@fp is not known
 * @base_lost:	KFLAME_BASE_REG is not known
 * @sp_lost:	@sp is not known, after a step by frame pointer: see kf_cfa_behind_record
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

/* A walk ends after so many faults, because each is a page fault in the timer's handler. */
#define KF_UWALK_FAULTS	8U

/* Was the frame interrupted at @ip? Otherwise @ip is a return address. */
static __always_inline bool kf_is_exact(const struct kf_uplace *p)
{
	return p->regs || p->sigcontext;
}

/* Where sp cannot be lost, this is a compile-time constant. */
static __always_inline bool kf_is_sp_lost(const struct kf_uplace *p)
{
	return !kf_cfa_behind_record && p->sp_lost;
}

/*
 * What one walk has done. @nr: frames. @candidate: index of the candidate. @table, @fp: steps by
 * unwind table and by frame pointer. @known: steps whose answer was cached. @again: steps that were
 * part of a known part.
 * @pending: steps whose table is not loaded yet. @unknown: from this frame on, counted from 1, no
 *		frame is in a known mapping; 0: the last frame is in one. @cold: a word of a known
 *		part faulted, so this walk uses known parts no more: they may read words that the
 *		walk would not read.
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

/* The slot for the cached answer for an address. It may hold another answer. */
static __always_inline struct kf_uknown *kf_uknown_at(const struct kf_uspace *s, u64 place)
{
	return &s->cpu->known[hash_64(place + s->aspace, KF_UKNOWN_BITS)];
}

#endif
