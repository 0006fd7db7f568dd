// SPDX-License-Identifier: GPL-2.0-only
/*
 * ustack.c - user stacks by frame pointer, see ustack.h
 *
 * Frame pointers must rise, and the number of frames is bounded. How user memory is read,
 * see ustack_read.h.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include <kflame.h>
#include "compat/compat.h"
#include "table.h"
#include "ustack.h"
#include "ustack_leaf.h"
#include "ustack_read.h"
#include "uwalk.h"

/*
 * It must rise, be a multiple of 8, and of the user's: see kf_is_record(). With the
 * lowest bits turned to the top, one comparison does for both: any of them makes it greater
 * than every @limit.
 */
static __always_inline bool is_next(unsigned long next, unsigned long fp, unsigned long limit)
{
	return next > fp && ror64(next, 3) < limit;
}

/* Zero is how the ABIs mark the outermost frame, as frame pointer and as return address. */
static __always_inline u32 end_with(unsigned long word)
{
	return word ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
}

/**
 * struct by_fp - where a walk begins
 * @fp:		its first frame record
 * @nr:		frames before that one's: the interrupted place, and maybe a candidate
 * @candidate:	whose index this is, or KF_NO_CANDIDATE
 * @span:	KF_USER_SPAN
 * @limit:	turned so that its lowest bits come first, no address of a record is above this
 */
struct by_fp {
	unsigned long fp;
	u32 nr;
	u32 candidate;
	unsigned long span;
	unsigned long limit;
};

/* From record to record. @f: has the first frames; gets the others */
static __always_inline union kf_shape walk_from(const struct by_fp *w, u32 depth,
						struct kf_frames *f)
{
	unsigned long fp = w->fp, next = 0, ret = 0;
	u64 *to = f->ip + w->nr, *const full = f->ip + depth;
	u32 end;

	for (;;) {
		KF_READ_RECORD(fp, next, ret, fault);
		if (unlikely(!kf_is_user(ret, w->span))) {
			end = end_with(ret);
			break;
		}
		if (unlikely(to == full)) {
			end = KFLAME_END_DEPTH;
			break;
		}
		*to++ = ret;
		if (unlikely(!is_next(next, fp, w->limit))) {
			end = end_with(next);
			break;
		}
		fp = next;
	}
	return kf_shape(KFLAME_STACK_USER, to - f->ip, end, w->candidate);
fault:
	return kf_shape(KFLAME_STACK_USER, to - f->ip, KFLAME_END_FAULT, w->candidate);
}

#define AT_ONCE	4

/*
 * Would walk_from() give these frames, from @was + @w->nr up to @all, and then @is? Every word that
 * it would read is read, and none that it would not. All of a session have the same depth.
 */
static __always_inline bool is_as_it_was(const struct by_fp *w, const u64 *was, const u64 *all,
					 union kf_shape is)
{
	unsigned long fp = w->fp, next = 0, ret = 0;
	u32 i;

	was += w->nr;
	for (; likely(all - was > AT_ONCE); was += AT_ONCE)
		KF_ALL_FOUR
		for (i = 0; i < AT_ONCE; i++) {
			KF_READ_RECORD(fp, next, ret, no);
			if (unlikely(ret != was[i] || !is_next(next, fp, w->limit)))
				return false;
			fp = next;
		}
	for (; was < all; was++) {
		KF_READ_RECORD(fp, next, ret, no);
		if (unlikely(ret != *was))
			return false;
		if (!is_next(next, fp, w->limit))
			return was + 1 == all && is.end == end_with(next);
		fp = next;
	}
	KF_READ_RECORD(fp, next, ret, no);
	return is.end == (kf_is_user(ret, w->span) ? KFLAME_END_DEPTH : end_with(ret));
no:
	return was == all && is.end == KFLAME_END_FAULT;
}

/*
 * Is it the stack that was here the last time, as the table has it? Then nothing is copied, and
 * nothing has to be looked up. @g->place gets where it is to be told which one it was.
 */
static __always_inline bool is_guessed(const struct by_fp *w, unsigned long ret,
				       struct kf_guess *g, const struct kf_frames *f)
{
	const union kf_shape same = kf_shape(KFLAME_STACK_USER, 0, 0, w->candidate);
	const union kf_shape mask = kf_shape(U16_MAX, 0, 0, U16_MAX);
	const struct kf_stack *s;
	const u64 *was;

	/* What is called at several places is told apart by the next caller. */
	g->place = kf_table_place(g->table, f->ip[0] + f->ip[w->nr - 1] + kf_strip_pac(ret), w->fp);
	if (unlikely(!*g->place))
		return false;
	s = &g->table->stacks[*g->place - 1];
	was = &g->table->frames[s->first];
	if (unlikely(((s->is.word ^ same.word) & mask.word) || s->is.nr < w->nr ||
		     s->ip != f->ip[0] || (w->nr > 1 && was[1] != f->ip[1]) ||
		     !is_as_it_was(w, was, was + s->is.nr, s->is)))
		return false;
	g->stack = *g->place;
	return true;
}

/* The walk proper, from one frame on, with the window open. */
static __always_inline void walk(struct pt_regs *regs, u32 depth, struct kf_leaf *leaf,
				 struct kf_guess *g, struct kf_frames *f)
{
	const unsigned long span = KF_USER_SPAN;
	struct by_fp w = {
		.fp = kf_user_fp(regs),
		.nr = 1,
		.candidate = KF_NO_CANDIDATE,
		.span = span,
		.limit = (span + KF_USER_LOWEST) / sizeof(long),
	};
	unsigned long caller, ret = 0;

	if (likely(depth > 1)) {
		caller = kf_leaf_candidate(regs, span, leaf);
		if (caller) {
			w.candidate = w.nr;
			f->ip[w.nr++] = caller;
		}
	}
	if (w.fp < kf_user_lowest_fp(regs) || !kf_is_record(w.fp, span)) {
		f->is = kf_shape(KFLAME_STACK_USER, w.nr, end_with(w.fp), w.candidate);
		return;
	}
	/* What cannot be read here is not asked for again: a fault is dear. */
	KF_READ_WORD(w.fp + sizeof(long), ret, fault);
	if (likely(g->table) && is_guessed(&w, ret, g, f))
		f->is = g->table->stacks[g->stack - 1].is;
	else
		f->is = walk_from(&w, depth, f);
	return;
fault:
	f->is = kf_shape(KFLAME_STACK_USER, w.nr, KFLAME_END_FAULT, w.candidate);
}

/*
 * Why current has no user stack that could be walked; KFLAME_END_COMPLETE if it
 * has one.
 */
static __always_inline u32 no_ustack(struct pt_regs *regs)
{
	/* The registers are a copy of the creator's, and mean nothing. */
	if (current->flags & KF_PF_WORKER)
		return KFLAME_END_IO_WORKER;
	/* Registers of the old program, memory of the new one. */
	if (current->in_execve)
		return KFLAME_END_EXEC;
	if (!user_mode(regs))
		return KFLAME_END_NO_REGS;
	/* EFI calls and text patching run on page tables of their own. */
	if (!kf_user_tables_loaded(current->mm))
		return KFLAME_END_FOREIGN_MM;
	return KFLAME_END_COMPLETE;
}

/**
 * kf_ustack() - the user stack of current
 * @regs:	interrupted registers, of user or kernel mode
 * @space:	what to walk by tables with; NULL: by frame pointers
 * @depth:	most frames, 1 to KF_MAX_UDEPTH
 * @leaf:	this CPU's
 * @g:		the table that it may be in, or NULL, and nothing; out: if it is, which one: then
 *		@f has no frames but the first
 * @f:		out; no frame at all where @f->is.end says why
 *
 * current must not be a kernel thread, and have an mm.
 */
void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f)
{
	struct pt_regs *user = regs;
	u32 why;

	/* What is interrupted in user mode has all that it takes. */
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
	if (space) {
		kf_uwalk(user, space, depth, leaf, f);
		return;
	}

	/* Faults off first: opening the window checks for it (5.10 to 6.1). */
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk(user, depth, leaf, g, f);
		user_access_end();
	} else {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_FAULT, KF_NO_CANDIDATE);
	}
	pagefault_enable();
}
