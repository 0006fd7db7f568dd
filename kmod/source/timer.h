/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer.h - the timer as an event source: a hard hrtimer pinned to each CPU
 *
 * Time is conserved, as an identity. A sample's weight is the advance of the
 * timer's expiry, which is exact whatever the kernel clamps and the budget
 * stretches. For each CPU, over each stretch of time in which the timer was armed:
 *
 *   (first expiry - armed) + sum of advances + (disarmed - last expiry) =
 *   disarmed - armed
 *
 * kf_source_timer arms and disarms timers.
 *
 * Context: kf_timer_init() and kf_timer_set_ceiling() before the timer runs; all else on the
 * timer's CPU with interrupts off, and as source/source.h says.
 */
#ifndef KF_TIMER_H
#define KF_TIMER_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include <kflame.h>
#include "source/budget.h"
#include "source/source.h"

#define KF_MIN_PERIOD_NS	(NSEC_PER_SEC / 20000)
#define KF_MAX_PERIOD_NS	NSEC_PER_SEC

/**
 * struct kf_pace - when a timer expires, by a clock that is cheaper than the timer's own
 * @due:	the next expiry, in units of kf_clock_read()
 * @period:	from one expiry to the next, in the same units
 * @period_ns:	the same by the timer's own clock
 * @trusted:	how many more expiries may pass before the timer's own clock is read
 */
struct kf_pace {
	u64 due;
	u64 period;
	u64 period_ns;
	u32 trusted;
};

/**
 * struct kf_timer - one CPU's timer of a session
 * @hrtimer:	hard, pinned to the CPU
 * @asked_ns:	the period that the session requested
 * @period_ns:	the period now; longer than @asked_ns after the budget stretched it
 * @share:	most of the CPU that the session requested, in 1/KF_BUDGET_ALL; 0: no limit
 * @budget:	decides when the period is stretched
 * @pace:	when the timer expires, by this CPU's cheap clock
 * @part:	what each event source has on a CPU
 */
struct kf_timer {
	struct hrtimer hrtimer;
	u64 asked_ns;
	u64 period_ns;
	u32 share;
	struct kf_budget budget;
	struct kf_pace pace;
	struct kf_event_cpu part;
};

typedef enum hrtimer_restart kf_timer_fn(struct hrtimer *hrtimer);

/**
 * kf_timer_due_ns() - when the current sample was due
 * @t:		this CPU's, in its callback, after the expiry was advanced
 * @weight_ns:	of the sample: the time from when it was due to the next expiry
 *
 * Return: CLOCK_MONOTONIC nanoseconds.
 */
static __always_inline u64 kf_timer_due_ns(const struct kf_timer *t, u64 weight_ns)
{
	return ktime_to_ns(hrtimer_get_expires(&t->hrtimer)) - weight_ns;
}

void kf_timer_set_ceiling(u32 permille);
void kf_timer_init(struct kf_timer *t, kf_timer_fn *expired, u32 cpu, u64 period_ns,
		   u32 budget_permille);

/* For source/timer_tick.h */
u64 kf_timer_forward(struct kf_timer *t);
void kf_timer_unusual(struct kf_timer *t, u64 cost);
void kf_timer_stretch(struct kf_timer *t);

#endif
