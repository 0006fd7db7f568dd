/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include "sample/cpu.h"

kf_timer_fn *kf_sample_callback(enum kf_plan plan);
void kf_sample_event(struct kf_event *e, struct pt_regs *regs, unsigned long handler, u64 weight);
bool kf_sample_wants(struct kf_event *e);
void kf_sample_keep(struct kf_event *e, struct pt_regs *regs, struct kf_chunks *chunks,
		    struct kf_kept *kept);
void kf_sample_keep_waker(struct kf_event *e, struct pt_regs *regs, unsigned long own,
			  struct kf_chunks *chunks, struct kf_kept *kept);
void kf_sample_count(struct kf_event *e, const struct kf_chunks *chunks, const struct kf_kept *kept,
		     const struct kf_kept *waker, u32 context, u64 end_ns, u64 weight, int why);
void kf_sample_look(struct kf_event *e, struct task_struct *t, u32 context, u64 now_ns, u64 weight);
void kf_sample_missed(struct kf_event *e);
void kf_sample_spent(struct kf_event *e, u64 begin);

#endif
