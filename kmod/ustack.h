/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack.h - user stacks, by frame pointers or by unwind tables
 *
 * Context: the timer's hard interrupt, interrupts off, page faults off for as
 * long as user memory is read: a page that is absent ends the walk.
 */
#ifndef KF_USTACK_H
#define KF_USTACK_H

#include <asm/ptrace.h>

#include "frames.h"

struct kf_uspace;

void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_frames *f);

#endif
