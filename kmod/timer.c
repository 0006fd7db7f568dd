// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - the source of samples, see timer.h
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <asm/irq_regs.h>

#include "compat/compat.h"
#include "sample.h"
#include "session.h"
#include "timer.h"

/* The mean follows a change within some 16 samples. */
#define COST_SHIFT	4

/* A sample this many times dearer than the mean: the vCPU was stolen meanwhile. */
#define COST_OUTLIER	8

/*
 * Keep the handler within its budget of the CPU's time. One step is at most a
 * doubling, so that a single odd sample does little; and back the same way.
 */
static void keep_budget(struct kf_cpu *c, u64 cost)
{
	u32 budget = c->session->config.budget_permille;
	u64 want;

	/* The first one may be an outlier as well: begin within the budget. */
	if (!c->cost_ns)
		c->cost_ns = min(cost, div_u64(c->period_ns * max(budget, 1U), 1000));
	else if (cost < c->cost_ns * COST_OUTLIER)
		c->cost_ns += ((s64)cost - (s64)c->cost_ns) >> COST_SHIFT;
	else
		c->cost_ns += c->cost_ns >> COST_SHIFT;
	if (!budget)
		return;

	want = div_u64(c->cost_ns * 1000, budget);
	if (want > c->period_ns) {
		c->period_ns = min3(want, c->period_ns * 2, (u64)KF_MAX_PERIOD_NS);
		c->books.stretches++;
	} else if (want * 2 < c->period_ns &&
		   c->period_ns > c->session->config.period_ns) {
		c->period_ns = max(c->period_ns / 2, c->session->config.period_ns);
	}
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct kf_cpu *c = container_of(timer, struct kf_cpu, timer);
	u64 begin = sched_clock(), before, period, weight, late, cost;

	lockdep_assert_irqs_disabled();
	/*
	 * hrtimer_forward() silently makes a shorter interval as long as the
	 * resolution is, which may have changed since CONFIGURE.
	 */
	period = max_t(u64, c->period_ns, hrtimer_resolution);
	before = ktime_to_ns(hrtimer_get_expires(timer));
	hrtimer_forward_now(timer, ns_to_ktime(period));
	weight = ktime_to_ns(hrtimer_get_expires(timer)) - before;
	late = weight > period ? weight - period : 0;

	c->books.samples++;
	c->books.weight_ns += weight;
	if (late)
		c->books.missed += div64_u64(late, period);

	kf_sample(c, get_irq_regs(), (unsigned long)__builtin_return_address(0),
		  before, weight, late);

	cost = sched_clock() - begin;
	c->books.handler_ns += cost;
	if (cost > c->books.handler_max_ns)
		c->books.handler_max_ns = cost;
	keep_budget(c, cost);
	return HRTIMER_RESTART;
}

void kf_timer_init(struct kf_cpu *c)
{
	hrtimer_setup(&c->timer, timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * CPUs begin at different phases, so that they do not all sample at once: each
 * in its own part of the first period.
 */
static u64 phase_ns(const struct kf_cpu *c)
{
	return div_u64(c->session->config.period_ns * (c->cpu + 1), nr_cpu_ids);
}

void kf_timer_arm(struct kf_cpu *c)
{
	u64 phase = phase_ns(c);

	lockdep_assert_irqs_disabled();
	if (c->armed)
		return;
	c->period_ns = c->session->config.period_ns;
	c->started = ktime_get_ns();
	c->books.head_ns += phase;
	c->armed = true;
	hrtimer_start(&c->timer, ns_to_ktime(c->started + phase),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

void kf_timer_disarm(struct kf_cpu *c)
{
	lockdep_assert_irqs_disabled();
	if (!c->armed)
		return;
	/* Its callback runs on this CPU, and not now: it can always be cancelled. */
	WARN_ON_ONCE(hrtimer_try_to_cancel(&c->timer) < 0);
	kf_timer_books(c, &c->books);
	c->armed = false;
}

/**
 * kf_timer_books() - the books of a CPU up to now
 * @c:		the CPU's
 * @books:	out; may be c->books
 */
void kf_timer_books(const struct kf_cpu *c, struct kflame_cpu *books)
{
	u64 now = ktime_get_ns();

	if (books != &c->books)
		*books = c->books;
	books->cpu = c->cpu;
	books->period_ns = c->period_ns;
	if (c->armed) {
		books->active_ns += now - c->started;
		books->tail_ns += now - ktime_to_ns(hrtimer_get_expires(&c->timer));
	}
}
