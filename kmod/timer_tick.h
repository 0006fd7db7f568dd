/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer_tick.h - what the timer does each time, inlined around what takes the sample
 *
 * Context: the timer's hard interrupt.
 */
#ifndef KF_TIMER_TICK_H
#define KF_TIMER_TICK_H

#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <asm/irq_regs.h>

#include "budget.h"
#include "clock.h"
#include "session.h"
#include "timer.h"

/*
 * What the interrupt takes around the handler, which measures itself only: some 900 instructions, and
 * setting the timer again. In a virtual machine it is more.
 */
#define KF_TICK_NS	500

/* Keep samples within what they may take of the CPU's time, see budget.h. */
static __always_inline void keep_budget(struct kf_cpu *c, u64 handler_ns)
{
	const u64 cost = handler_ns + KF_TICK_NS;
	struct kf_budget *b = &c->budget;

	if (!b->allowed)
		return;
	if (!kf_budget_usual(b, cost))
		kf_timer_unusual(c, cost);
	if (unlikely(kf_budget_is_off(b, c->period_ns, c->session->config.period_ns)))
		kf_timer_stretch(c);
}

/*
 * Has the timer expired about when it should, from a quarter of a period before to three quarters after
 * (what is earlier wraps around, and is far beyond), as far as this CPU's own clock tells? It need not
 * be exact: where it errs the timer is early or late by that, and catches up when the time is
 * asked for. Weights are exact all the same, see timer.h.
 */
static __always_inline bool is_on_time(const struct kf_pace *p, u64 now)
{
	return p->trusted && now - p->due + p->period / 4 < p->period;
}

/* kf_clock_read(), which is the counter where anything is usual */
static __always_inline u64 tick_clock(enum kf_plan plan)
{
	return plan == KF_PLAN_ANY ? kf_clock_read() : kf_counter();
}

/**
 * kf_timer_tick() - all of the callback
 * @timer:	it expired
 * @take:	takes a sample, by that plan, of these registers: NULL if there are none; the callback's
 *		return address; the time that the sample stands for, by which the timer was forwarded; the
 *		part of it that came late
 * @plan:	a constant
 *
 * Return: HRTIMER_RESTART
 */
static __always_inline enum hrtimer_restart
kf_timer_tick(struct hrtimer *timer,
	      void (*take)(struct kf_cpu *c, enum kf_plan plan, struct pt_regs *regs,
			   unsigned long handler, u64 weight_ns, u64 late_ns),
	      enum kf_plan plan)
{
	struct kf_cpu *c = container_of(timer, struct kf_cpu, timer);
	u64 begin = tick_clock(plan), end, weight, late = 0, cost;
	struct kf_pace *p = &c->pace;

	lockdep_assert_irqs_disabled();
	if (likely(is_on_time(p, begin))) {
		p->trusted--;
		p->due += p->period;
		weight = p->period_ns;
		hrtimer_add_expires_ns(timer, weight);
	} else {
		weight = kf_timer_forward(c);
		late = weight > p->period_ns ? weight - p->period_ns : 0;
	}

	c->books.samples++;
	c->books.weight_ns += weight;
	if (unlikely(late))
		c->books.missed += div64_u64(late, p->period_ns);

	take(c, plan, get_irq_regs(), (unsigned long)__builtin_return_address(0), weight, late);

	/* It may go back where a virtual machine moves. */
	end = tick_clock(plan);
	cost = end > begin ? kf_clock_ns(end - begin) : 0;
	c->books.handler_ns += cost;
	if (unlikely(cost > c->books.handler_max_ns))
		c->books.handler_max_ns = cost;
	keep_budget(c, cost);
	return HRTIMER_RESTART;
}

#endif
