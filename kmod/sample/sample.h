/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include "sample/cpu.h"

kf_timer_fn *kf_sample_callback(enum kf_plan plan);
void kf_sample_event(struct kf_event *e, struct pt_regs *regs, unsigned long handler, u64 weight);

#endif
