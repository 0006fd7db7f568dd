/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack.h - user stacks, by frame pointers or by unwind tables
 *
 * Context: the timer's hard interrupt, with interrupts off. Page faults are off while user memory
 * is read, so an absent page ends the walk.
 */
#ifndef KF_USTACK_H
#define KF_USTACK_H

#include <asm/ptrace.h>

#include "store/frames.h"

struct kf_table;
struct kf_uspace;
struct kf_utrace;

/**
 * struct kf_leaf - a candidate caller whose code could not be read
 * @address:	the candidate. An address that is sampled often finds the same value on its stack
 *		again: a number that looks like an address, or the address of unmapped code
 * @mm:		its address space; compared, never dereferenced
 * @again:	how often the candidate is still ignored; then it is read again, as it may be mapped
 *		now
 *
 * Each CPU has one. It saves page faults, each of which takes a thousand instructions.
 */
struct kf_leaf {
	unsigned long address;
	const void *mm;
	u32 again;
};

/**
 * struct kf_guess - the stack of the table that a walk expects to find
 * @table:	the table
 * @asks:	compare with a stack in the table first
 * @place:	slot for the stack's id; NULL: none
 * @stack:	id of the stack; 0: the stack is not the expected one
 */
struct kf_guess {
	const struct kf_table *table;
	bool asks;
	u32 *place;
	u32 stack;
};

void kf_ustack(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	       struct kf_leaf *leaf, struct kf_guess *g, struct kf_frames *f);
void kf_ustack_traced(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
		      const struct kf_leaf *leaf, struct kf_utrace *trace);

#endif
