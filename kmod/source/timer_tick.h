/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer_tick.h - what the timer does at each expiry, inlined around the sample
 *
 * Context: the timer's hard interrupt.
 */
#ifndef KF_TIMER_TICK_H
#define KF_TIMER_TICK_H

#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <asm/irq_regs.h>

#include "base/clock.h"
#include "source/budget.h"
#include "source/timer.h"

/*
 * Cost of the interrupt around the handler: some 900 instructions, and setting the timer again. The
 * handler measures only itself. In a virtual machine the cost is higher.
 */
#define KF_TICK_NS	500

/* Keep samples within their budget of the CPU's time, see source/budget.h. */
static __always_inline void keep_budget(struct kf_timer *t, u64 handler_ns)
{
	const u64 cost = handler_ns + KF_TICK_NS;
	struct kf_budget *b = &t->budget;

	if (!b->allowed)
		return;
	if (!kf_budget_usual(b, cost))
		kf_timer_unusual(t, cost);
	if (unlikely(kf_budget_is_off(b, t->period_ns, t->asked_ns)))
		kf_timer_stretch(t);
}

/*
 * By this CPU's cheap clock, did the timer expire from a quarter of a period early to three
 * quarters late? (An earlier time wraps around to a huge value.) The clock need not be exact. If it
 * errs, the timer is early or late by the error, and catches up when its own clock is read. Weights
 * are exact nevertheless, see source/timer.h.
 */
static __always_inline bool is_on_time(const struct kf_pace *p, u64 now)
{
	return p->trusted && now - p->due + p->period / 4 < p->period;
}

static __always_inline u64 tick_clock(bool is_counter)
{
	return is_counter ? kf_counter() : kf_clock_read();
}

/**
 * kf_timer_tick() - the body of a timer's callback
 * @hrtimer:	the timer that expired
 * @take:	takes a sample. Its arguments: the interrupted registers, NULL if there are none;
 *		the callback's return address; the time that the sample stands for, by which the
 *		expiry was advanced; the part of this time that came late
 * @is_counter:	a compile-time constant: kf_clock_is_counter() is known to be true
 *
 * Return: HRTIMER_RESTART
 */
static __always_inline enum hrtimer_restart
kf_timer_tick(struct hrtimer *hrtimer,
	      void (*take)(struct kf_timer *t, struct pt_regs *regs, unsigned long handler,
			   u64 weight_ns, u64 late_ns),
	      bool is_counter)
{
	struct kf_timer *t = container_of(hrtimer, struct kf_timer, hrtimer);
	u64 begin = tick_clock(is_counter), end, weight, late = 0, cost;
	struct kf_pace *p = &t->pace;

	lockdep_assert_irqs_disabled();
	if (likely(is_on_time(p, begin))) {
		p->trusted--;
		p->due += p->period;
		weight = p->period_ns;
		hrtimer_add_expires_ns(hrtimer, weight);
	} else {
		weight = kf_timer_forward(t);
		late = weight > p->period_ns ? weight - p->period_ns : 0;
	}

	t->part.books.samples++;
	t->part.books.weight_ns += weight;
	if (unlikely(late))
		t->part.books.missed += div64_u64(late, p->period_ns);

	take(t, get_irq_regs(), (unsigned long)__builtin_return_address(0), weight, late);

	/* The clock may go backwards when a virtual machine migrates. */
	end = tick_clock(is_counter);
	cost = end > begin ? kf_clock_ns(end - begin) : 0;
	t->part.books.handler_ns += cost;
	if (unlikely(cost > t->part.books.handler_max_ns))
		t->part.books.handler_max_ns = cost;
	keep_budget(t, cost);
	return HRTIMER_RESTART;
}

#endif
