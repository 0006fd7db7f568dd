/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - what was running, stored: the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include <linux/types.h>

struct kf_cpu;
struct pt_regs;

void kf_sample(struct kf_cpu *c, struct pt_regs *regs, unsigned long handler,
	       u64 weight_ns, u64 late_ns);

#endif
