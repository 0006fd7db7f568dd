// SPDX-License-Identifier: GPL-2.0-only
/*
 * ustack.c - user stacks, not inlined: for learn_check
 */
#include "ustack/by_frame_pointer.h"
#include "ustack/ustack.h"

/* kf_ustack_inline() as a function. @space: NULL: walk by frame pointers */
void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f)
{
	kf_ustack_inline(regs, space, space, depth, leaf, g, f);
}
