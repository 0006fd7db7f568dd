/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer.h - the source of samples: a hard hrtimer pinned to each CPU
 *
 * Time is conserved, as an identity. A sample's weight is the advance of the
 * timer's expiry, which is exact whatever the kernel clamps and the budget
 * stretches. For each CPU, over each stretch of time in which the timer was armed:
 *
 *   (first expiry - armed) + sum of advances + (disarmed - last expiry) =
 *   disarmed - armed
 *
 * Context: all of these run on the CPU of @c with interrupts off.
 */
#ifndef KF_TIMER_H
#define KF_TIMER_H

#include <linux/types.h>

struct kf_cpu;
struct kflame_cpu;

void kf_timer_set_ceiling(u32 permille);
u64 kf_timer_forward(struct kf_cpu *c);
void kf_timer_unusual(struct kf_cpu *c, u64 cost);
void kf_timer_stretch(struct kf_cpu *c);
void kf_timer_init(struct kf_cpu *c);
void kf_timer_arm(struct kf_cpu *c);
void kf_timer_disarm(struct kf_cpu *c);
void kf_timer_books(const struct kf_cpu *c, struct kflame_cpu *books);

#endif
