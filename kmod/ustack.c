// SPDX-License-Identifier: GPL-2.0-only
/*
 * ustack.c - user stacks by frame pointer, see ustack.h
 *
 * What user memory holds is hostile: frame pointers may loop, point anywhere,
 * change while they are read.  So each address is compared with TASK_SIZE_MAX
 * before it is used (access_ok() alone is not enough: a non-canonical address
 * makes the fault fixup warn, and with LAM its limit is another), frame pointers
 * must rise, and the number of frames is bounded.
 *
 * One access window spans the whole walk: opening one (STAC, and a fence) costs
 * more than the reads.  Nothing is called inside of it but what is inlined;
 * objtool holds us to that.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <kflame.h>
#include "compat/compat.h"
#include "ustack.h"
#include "ustack_arch.h"

/* Nothing is ever mapped lower: mmap_min_addr is at least a page in practice. */
#define LOWEST	4096UL

/*
 * Addresses that may be user memory: from LOWEST to @span above it. TASK_SIZE_MAX is
 * read once a walk, for it is patched in at each place that names it.
 */
static __always_inline bool is_user(unsigned long addr, unsigned long span)
{
	return addr - LOWEST < span;
}

/* Can a frame record be there? */
static __always_inline bool is_record(unsigned long fp, unsigned long span)
{
	return !(fp & 7) && is_user(fp, span);
}

/* Two words of a frame record: the caller's frame pointer, the return address. */
#define READ_RECORD(fp, next, ret, fault)					\
do {										\
	unsafe_get_user(next, (unsigned long __user *)(fp), fault);		\
	unsafe_get_user(ret, (unsigned long __user *)(fp) + 1, fault);		\
	ret = kf_strip_pac(ret);						\
} while (0)

/*
 * The walk proper, from one frame on, with the window open. First the record that
 * the frame pointer shows, for a candidate is only worth keeping if it is not that
 * record's own return address; then the candidate; then the chain.
 */
static __always_inline void walk(struct pt_regs *regs, u32 depth, struct kf_frames *f)
{
	/* Both words of a record, and the 8 bytes before a return address, fit in. */
	const unsigned long span = TASK_SIZE_MAX - LOWEST - 16;
	unsigned long fp = kf_user_fp(regs), low = kf_user_lowest_fp(regs);
	unsigned long next = 0, ret = 0, code = 0, cand = 0;
	bool possible = fp >= low && is_record(fp, span), have = false;
	u32 nr = 1;

	if (possible) {
		READ_RECORD(fp, next, ret, no_record);
		have = true;
	}
no_record:
	if (kf_candidate_on_stack) {
		if (is_user(regs->sp, span))
			unsafe_get_user(cand, (unsigned long __user *)regs->sp, no_candidate);
	} else {
		cand = kf_candidate_in_register(regs);
	}
	if (is_user(cand, span) && !(have && cand == ret) && depth > 1) {
		unsafe_get_user(code, (unsigned long __user *)(cand - 8), no_candidate);
		if (kf_after_call(code)) {
			f->candidate = nr;
			f->ip[nr++] = cand;
		}
	}
no_candidate:
	if (!have) {
		/* Zero is how the ABIs mark the outermost frame. */
		f->end = !fp ? KFLAME_END_COMPLETE :
			 possible ? KFLAME_END_FAULT : KFLAME_END_BAD_FP;
		goto out;
	}
	for (;;) {
		if (!is_user(ret, span)) {
			f->end = ret ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
			goto out;
		}
		if (nr >= depth) {
			f->end = KFLAME_END_DEPTH;
			goto out;
		}
		f->ip[nr++] = ret;
		if (next <= fp || !is_record(next, span)) {
			f->end = next ? KFLAME_END_BAD_FP : KFLAME_END_COMPLETE;
			goto out;
		}
		fp = next;
		READ_RECORD(fp, next, ret, fault);
	}
fault:
	f->end = KFLAME_END_FAULT;
out:
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
 * @depth:	most frames, 1 to KF_MAX_DEPTH
 * @f:		out; no frame at all where @f->end says why
 *
 * current must not be a kernel thread, and have an mm.
 */
void kf_ustack(struct pt_regs *regs, u32 depth, struct kf_frames *f)
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
