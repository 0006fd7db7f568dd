// SPDX-License-Identifier: GPL-2.0-only
/*
 * ustack.c - user stacks, not inlined: for learn_check, and for walks that note their steps
 */
#include "ustack/by_frame_pointer.h"
#include "ustack/ustack.h"

/* kf_ustack_inline() as a function. @space: NULL: walk by frame pointers */
void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f)
{
	kf_ustack_inline(regs, space, space, depth, leaf, g, f);
}

/*
 * Walk the user stack of current by unwind tables, and note each step. Without @space, or where kf_ustack()
 * does not walk, there are no steps. Context: as kf_ustack().
 */
void kf_ustack_traced(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
		      const struct kf_leaf *leaf, struct kf_utrace *trace)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);

	trace->nr = 0;
	if (!space || (!user_mode(regs) && no_ustack(user) != KFLAME_END_COMPLETE) ||
	    kf_user_is_compat(user))
		return;
	kf_uwalk_traced(user, space, depth, kf_returns_of_current(kf_user_lowest_fp(user)), leaf, trace);
}
