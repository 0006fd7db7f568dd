/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * by_frame_pointer.h - user stacks by frame pointer, inlined
 *
 * Frame pointers must rise, and the number of frames is bounded. ustack/read_word.h has the rules
 * for reading user memory.
 */
#ifndef KF_BY_FRAME_POINTER_H
#define KF_BY_FRAME_POINTER_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include <kflame.h>
#include "compat/compat.h"
#include "store/table.h"
#include "ustack/by_tables.h"
#include "ustack/leaf.h"
#include "ustack/read_word.h"
#include "ustack/return_probes.h"
#include "ustack/ustack.h"

/*
 * The next record must be at a higher address, at a multiple of 8, and in user space: see
 * kf_is_record().
 */
static __always_inline bool is_next(unsigned long next, unsigned long fp, unsigned long limit)
{
	return next > fp && next < limit && !(next % sizeof(long));
}

/**
 * struct by_fp - where a walk begins
 * @ip:		the interrupted address
 * @caller:	the candidate, 0 if there is none
 * @fp:		address of the first frame record
 * @nr:		frames before the first record's frame: the interrupted address, and the candidate
 *		if any
 * @candidate:	index of the candidate among the frames, or KF_NO_CANDIDATE
 * @span:	kf_user_span()
 * @mask:	kf_user_mask() for words: no word extends beyond it, where a read might not fault
 *		properly
 * @limit:	all frame records are below this address
 */
struct by_fp {
	unsigned long ip;
	unsigned long caller;
	unsigned long fp;
	u32 nr;
	u32 candidate;
	unsigned long span;
	unsigned long mask;
	unsigned long limit;
};

/* Walk from record to record. @f has the first frames; the function appends the others. */
static __always_inline union kf_shape walk_from(const struct by_fp *w, u32 depth,
						struct kf_frames *f)
{
	unsigned long fp = w->fp & w->mask, next = 0, ret = 0;
	u64 *to = f->ip + w->nr, *const full = f->ip + depth;
	u32 end;

	for (;;) {
		KF_READ_RECORD(fp, next, ret, fault);
		if (unlikely(!kf_is_user(ret, w->span))) {
			end = kf_end_with(ret);
			break;
		}
		if (unlikely(to == full)) {
			end = KFLAME_END_DEPTH;
			break;
		}
		*to++ = ret;
		if (unlikely(!is_next(next, fp, w->limit))) {
			end = kf_end_with(next);
			break;
		}
		fp = next & w->mask;
	}
	return kf_shape(KFLAME_STACK_USER, to - f->ip, end, w->candidate);
fault:
	return kf_shape(KFLAME_STACK_USER, to - f->ip, KFLAME_END_FAULT, w->candidate);
}

/*
 * Does the record at *@fp still have the caller *@was, and does it point to a higher address? If
 * so, *@fp becomes the next record's address, limited by @mask, and *@bits collects the address's
 * bits without @mask.
 */
static __always_inline bool leads_on(const u64 *was, unsigned long mask, unsigned long *fp,
				     unsigned long *bits)
{
	unsigned long next = 0, ret = 0;

	KF_READ_RECORD(*fp, next, ret, no);
	if (unlikely(ret != *was))
		return false;
	*bits |= next;
		/*
		 * Collect the bits now: there are too few registers to do it for all records at the
		 * end.
		 */
	OPTIMIZER_HIDE_VAR(*bits);
	next &= mask;
	if (unlikely(next <= *fp))
		return false;
	*fp = next;
	return true;
no:
	return false;
}

/*
 * Would walk_from() find the frames from @was + @w->nr up to @all, and end as @is says? The
 * function reads every word that walk_from() would read. If the stack differs, it may read other
 * words of user memory, too. One check at the end covers the alignment and the limit of all
 * records: @bits has all their address bits, and addresses rise, so the last record is the highest.
 * All stacks of a session have the same depth limit.
 */
static __always_inline bool is_as_it_was(const struct by_fp *w, const u64 *was, const u64 *all,
					 union kf_shape is)
{
	const unsigned long mask = w->mask;
	unsigned long fp = w->fp & mask, bits = 0, next = 0, ret = 0;

	for (was += w->nr; likely(was < all - 4); was += 4)
		if (unlikely(!leads_on(was, mask, &fp, &bits) ||
			     !leads_on(was + 1, mask, &fp, &bits) ||
			     !leads_on(was + 2, mask, &fp, &bits) ||
			     !leads_on(was + 3, mask, &fp, &bits)))
			return false;
	if (was < all - 2) {
		if (unlikely(!leads_on(was, mask, &fp, &bits) ||
			     !leads_on(was + 1, mask, &fp, &bits)))
			return false;
		was += 2;
	}
	if (was < all - 1) {
		if (unlikely(!leads_on(was, mask, &fp, &bits)))
			return false;
		was++;
	}
	if (unlikely(bits & ~mask || fp >= w->limit))
		return false;
	if (likely(was < all)) {
		KF_READ_RECORD(fp, next, ret, no);
		if (unlikely(ret != *was))
			return false;
		if (!is_next(next, fp, w->limit))
			return is.end == kf_end_with(next);
		was++;
		fp = next & mask;
	}
	KF_READ_RECORD(fp, next, ret, no);
	return is.end == (kf_is_user(ret, w->span) ? KFLAME_END_DEPTH : kf_end_with(ret));
no:
	return was == all && is.end == KFLAME_END_FAULT;
}

/*
 * Is this the stack that was recorded here the last time, and is still in the table? Then only its
 * shape is copied, and the table needs no lookup. @ret is the caller in the first record. @g->place
 * becomes the slot for the id of this stack.
 */
static __always_inline bool is_guessed(const struct by_fp *w, unsigned long ret,
				       struct kf_guess *g, struct kf_frames *f)
{
	const union kf_shape same = kf_shape(KFLAME_STACK_USER, 0, 0, w->candidate);
	const union kf_shape mask = kf_shape(U16_MAX, 0, 0, U16_MAX);
	const struct kf_stack *s;
	union kf_shape is;
	const u64 *was;
	u32 stack;

	/*
	 * The next caller is part of the key, because a function may be called from several
	 * addresses.
	 */
	g->place = kf_table_place(g->table, w->ip + (w->caller ?: w->ip) + ret, w->fp);
	stack = *g->place;
	if (unlikely(!stack))
		return false;
	s = &g->table->stacks[stack - 1];
	was = &g->table->frames[s->first];
	is = s->is;
	if (unlikely(((is.word ^ same.word) & mask.word) || is.nr < w->nr || s->ip != w->ip ||
		     (w->caller && was[1] != w->caller) ||
		     !is_as_it_was(w, was, was + is.nr, is)))
		return false;
	g->stack = stack;
	f->is = is;
	return true;
}

/* Walk from the interrupted frame on. User access is open. */
static __always_inline void walk_by_fp(struct pt_regs *regs, u32 depth, struct kf_leaf *leaf,
				       struct kf_guess *g, struct kf_frames *f)
{
	const unsigned long span = kf_user_span();
	struct by_fp w = {
		.ip = instruction_pointer(regs),
		.fp = kf_user_fp(regs),
		.nr = 1,
		.candidate = KF_NO_CANDIDATE,
		.span = span,
		.mask = kf_user_mask(span) & ~(sizeof(long) - 1),
		.limit = span + KF_USER_LOWEST,
	};
	unsigned long ret;
	u32 end = 0;
	const bool leads = kf_read_first(regs, span, &ret, &end);

	if (likely(depth > 1)) {
		w.caller = kf_leaf_candidate(regs, span, ret, leaf);
		if (w.caller) {
			w.candidate = w.nr;
			f->ip[w.nr++] = w.caller;
		}
	}
	if (unlikely(!leads))
		f->is = kf_shape(KFLAME_STACK_USER, w.nr, end, w.candidate);
	else if (unlikely(!g->asks) || !is_guessed(&w, ret, g, f))
		f->is = walk_from(&w, depth, f);
}

/*
 * Why current has no user stack that can be walked; KFLAME_END_COMPLETE if it
 * has one.
 */
static __always_inline u32 no_ustack(struct pt_regs *regs)
{
	/* The worker's registers are a copy of its creator's, and mean nothing. */
	if (current->flags & KF_PF_WORKER)
		return KFLAME_END_IO_WORKER;
	/*
	 * During execve() the registers are the old program's and the memory is the new program's.
	 */
	if (current->in_execve)
		return KFLAME_END_EXEC;
	if (!user_mode(regs))
		return KFLAME_END_NO_REGS;
	/* EFI calls and text patching run on other page tables. */
	if (!kf_user_tables_loaded(current->mm))
		return KFLAME_END_FOREIGN_MM;
	return KFLAME_END_COMPLETE;
}

/**
 * kf_ustack_inline() - walk the user stack of current
 * @regs:	interrupted registers, of user or kernel mode
 * @by_tables:	walk by unwind tables; false: walk by frame pointers
 * @space:	the tables and mappings for a walk by tables
 * @depth:	most frames, 1 to KF_MAX_UDEPTH
 * @leaf:	this CPU's
 * @g:		whether to search a table for a known stack, and which table; out: the stack, if
 *		found: then
 *		@f has only the first frame
 * @f:		out: the frames; if there are none, @f->is.end says why
 *
 * current must have an mm and must not be a kernel thread.
 */
static __always_inline void kf_ustack_inline(struct pt_regs *regs, bool by_tables,
					     const struct kf_uspace *space, u32 depth,
					     struct kf_leaf *leaf, struct kf_guess *g,
					     struct kf_frames *f)
{
	struct pt_regs *user = regs;
	struct kf_returns *returns;
	u32 why;

		/*
		 * These checks are for kernel mode: what was interrupted in user mode passes them
		 * all.
		 */
	if (!user_mode(regs)) {
		user = task_pt_regs(current);
		why = no_ustack(user);
		if (unlikely(why != KFLAME_END_COMPLETE)) {
			f->is = kf_shape(KFLAME_STACK_USER, 0, why, KF_NO_CANDIDATE);
			return;
		}
	}

	f->ip[0] = instruction_pointer(user);
	if (unlikely(kf_user_is_compat(user))) {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_COMPAT, KF_NO_CANDIDATE);
		return;
	}
	returns = kf_returns_of_current(kf_user_lowest_fp(user));
	if (by_tables) {
		kf_uwalk(user, space, depth, returns, leaf, f);
		return;
	}

	/* Disable page faults first: opening user access checks for that (5.10 to 6.1). */
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk_by_fp(user, depth, leaf, g, f);
		user_access_end();
	} else {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_FAULT, KF_NO_CANDIDATE);
	}
	pagefault_enable();
	if (unlikely(returns && !g->stack))
		kf_returns_restore(returns, user, f);
}

#endif
