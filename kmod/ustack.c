// SPDX-License-Identifier: GPL-2.0-only
/*
 * ustack.c - user stacks by frame pointer, see ustack.h
 *
 * Frame pointers must rise, and the number of frames is bounded. How user memory is read,
 * see ustack_read.h.
 */
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
static __always_inline void walk(struct pt_regs *regs, u32 depth, struct kf_frames *f)
{
	const unsigned long span = KF_USER_SPAN;
	unsigned long fp = kf_user_fp(regs), low = kf_user_lowest_fp(regs);
	unsigned long next = 0, ret = 0;
	u32 nr;

	kf_leaf_candidate(regs, depth, f);
	for (nr = f->nr; fp >= low && kf_is_record(fp, span); f->ip[nr++] = ret, fp = next) {
		KF_READ_RECORD(fp, next, ret, fault);
		if (!kf_is_user(ret, span)) {
			/* Zero is how the ABIs mark the outermost frame, here and below. */
			fp = ret;
			break;
		}
		if (nr >= depth) {
			f->end = KFLAME_END_DEPTH;
			goto out;
		}
		low = fp + 1;
	}
	f->end = fp ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
out:
	f->nr = nr;
	return;
fault:
	f->end = KFLAME_END_FAULT;
	f->nr = nr;
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
 * @f:		out; no frame at all where @f->end says why
 *
 * current must not be a kernel thread, and have an mm.
 */
void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_frames *f)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);

	f->nr = 0;
	f->candidate = KFLAME_NO_CANDIDATE;
	f->end = no_ustack(user);
	if (f->end != KFLAME_END_COMPLETE)
		return;

	f->ip[0] = instruction_pointer(user);
	f->nr = 1;
	if (kf_user_is_compat(user)) {
		f->end = KFLAME_END_COMPAT;
		return;
	}
	if (space) {
		kf_uwalk(user, space, depth, f);
		return;
	}

	/* Faults off first: opening the window checks for it (5.10 to 6.1). */
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk(user, depth, f);
		user_access_end();
	} else {
		f->end = KFLAME_END_FAULT;
	}
	pagefault_enable();
}
