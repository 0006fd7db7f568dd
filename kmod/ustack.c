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
#include "ustack.h"
#include "ustack_leaf.h"
#include "ustack_read.h"
#include "uwalk.h"

/* The walk proper, from one frame on, with the window open. */
static __always_inline void walk(struct pt_regs *regs, u32 depth, struct kf_leaf *leaf,
				 struct kf_frames *f)
{
	const unsigned long span = KF_USER_SPAN;
	/* Turned so that its lowest bits come first, no address of a record is above this. */
	const unsigned long limit = (span + KF_USER_LOWEST) / sizeof(long);
	unsigned long fp = kf_user_fp(regs), next = 0, ret = 0;
	u32 nr = 1, candidate = KF_NO_CANDIDATE, end;

	if (likely(depth > 1)) {
		ret = kf_leaf_candidate(regs, span, leaf);
		if (ret) {
			candidate = nr;
			f->ip[nr++] = ret;
		}
	}
	if (fp < kf_user_lowest_fp(regs) || !kf_is_record(fp, span))
		goto ended;
	for (;;) {
		KF_READ_RECORD(fp, next, ret, fault);
		if (unlikely(!kf_is_user(ret, span))) {
			/* Zero is how the ABIs mark the outermost frame, here and below. */
			fp = ret;
			break;
		}
		if (unlikely(nr >= depth)) {
			end = KFLAME_END_DEPTH;
			goto out;
		}
		f->ip[nr++] = ret;
		/* It must rise, be a multiple of 8, and of the user's: see kf_is_record(). */
		if (unlikely(next <= fp || ror64(next, 3) >= limit)) {
			fp = next;
			break;
		}
		fp = next;
	}
ended:
	end = fp ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
	goto out;
fault:
	end = KFLAME_END_FAULT;
out:
	f->is = kf_shape(KFLAME_STACK_USER, nr, end, candidate);
}

/*
 * Why current has no user stack that could be walked; KFLAME_END_COMPLETE if it
 * has one.
 */
static u32 no_ustack(struct pt_regs *regs)
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
 * @f:		out; no frame at all where @f->is.end says why
 *
 * current must not be a kernel thread, and have an mm.
 */
void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_frames *f)
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
		walk(user, depth, leaf, f);
		user_access_end();
	} else {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_FAULT, KF_NO_CANDIDATE);
	}
	pagefault_enable();
}
