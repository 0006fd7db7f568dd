/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack.h - user stacks, by frame pointers or by unwind tables
 *
 * Context: the timer's hard interrupt, interrupts off, page faults off while user memory is read: an
 * absent page ends the walk.
 */
#ifndef KF_USTACK_H
#define KF_USTACK_H

#include <asm/ptrace.h>

#include "store/frames.h"

struct kf_table;
struct kf_uspace;

/**
 * struct kf_leaf - where a candidate caller of a leaf could not be read
 * @address:	that one. A place that is sampled often has the same on its stack again: a number
 *		that looks like an address, or one of what is no longer mapped
 * @mm:		compared, never followed
 * @again:	so often it is passed over; then it is read again, for it may be there now
 *
 * Ownership: a CPU's. A fault takes a thousand instructions.
 */
struct kf_leaf {
	unsigned long address;
	const void *mm;
	u32 again;
};

/**
 * struct kf_guess - which stack of a table it is
 * @table:	that one
 * @asks:	it may be one that was there before
 * @place:	where its number is to be written; NULL: nowhere
 * @stack:	its number; 0: it is another one than the last time
 */
struct kf_guess {
	const struct kf_table *table;
	bool asks;
	u32 *place;
	u32 stack;
};

void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f);

#endif
