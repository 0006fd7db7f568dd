/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_copy.h - a sample with a copy of its user stack, for the ring
 *
 * Context: the timer's hard interrupt, with interrupts off. Page faults are off while user memory
 * is read, so the copy ends at the first absent page.
 */
#ifndef KF_STACK_COPY_H
#define KF_STACK_COPY_H

#include <linux/types.h>

struct kf_cpu;
struct kf_key;
struct pt_regs;

bool kf_dump(struct kf_cpu *c, const struct kf_key *key, struct pt_regs *user, unsigned long top,
	     u64 weight_ns, u64 late_ns, u32 flags);

#endif
