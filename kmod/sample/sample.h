/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include "sample/cpu.h"

kf_timer_fn *kf_sample_callback(enum kf_plan plan);

/**
 * struct kf_changes - how stacks differ from the walks from the registers
 * @own:	the innermost frame is dropped if it is in the function there; 0: no function
 * @function:	becomes the innermost frame of the kernel stack; 0: no function
 * @user_function: becomes the innermost frame of the user stack; 0: no function
 * @label:	then the label with that id does; 0: no label
 */
struct kf_changes {
	unsigned long own;
	unsigned long function;
	unsigned long user_function;
	u32 label;
};

/* For sample/events.c */
void kf_sample_take_any(struct kf_cpu *c, struct kflame_cpu *books, u32 event, struct pt_regs *regs,
			unsigned long handler, const struct kf_changes *changes, u64 weight_ns, u64 late_ns);
void kf_sample_walk(struct kf_cpu *c, u32 event, u32 context, struct pt_regs *regs,
		    const struct kf_changes *changes, struct kf_kept *kept);
void kf_sample_wake(struct kf_cpu *c);
void kf_sample_lose(struct kflame_cpu *books, u32 why, u64 weight_ns);

#endif
