// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - the source of samples, see timer.h
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "compat/compat.h"
#include "sample.h"
#include "session.h"
#include "timer.h"

/* The mean follows a change within some 16 samples. */
#define COST_SHIFT	4

/* A sample this many times dearer than the mean: the vCPU was stolen meanwhile. */
#define COST_OUTLIER	8

/* The time is asked for at least each so many samples. */
#define TRUSTED_SAMPLES	64

/* One step is at most a doubling, so that a single odd sample does little; and back the same way. */
static noinline void stretch(struct kf_cpu *c, u32 budget)
{
	u64 want = div_u64(c->cost_ns * 1000, budget);

	if (c->cost_ns * 1000 > c->period_ns * budget) {
		c->period_ns = min3(want + 1, c->period_ns * 2, (u64)KF_MAX_PERIOD_NS);
		c->books.stretches++;
	} else {
		c->period_ns = max(c->period_ns / 2, c->session->config.period_ns);
	}
	c->pace.trusted = 0;
}

/* Keep the handler within its budget of the CPU's time. */
static __always_inline void keep_budget(struct kf_cpu *c, u64 cost)
{
	u32 budget = c->session->config.budget_permille;
	u64 used, allowed;

	if (!budget)
		return;
	/* The first one may be an outlier as well: begin within the budget. */
	if (unlikely(!c->cost_ns))
		c->cost_ns = min(cost, div_u64(c->period_ns * budget, 1000));
	else if (likely(cost < c->cost_ns * COST_OUTLIER))
		c->cost_ns += ((s64)cost - (s64)c->cost_ns) >> COST_SHIFT;
	else
		c->cost_ns += c->cost_ns >> COST_SHIFT;

	used = c->cost_ns * 1000;
	allowed = c->period_ns * budget;
	if (unlikely(used > allowed || (used * 2 < allowed &&
					c->period_ns > c->session->config.period_ns)))
		stretch(c, budget);
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

/* By the time, and by what the period is by now. Return: how far, a multiple of that. */
static noinline u64 forward(struct kf_cpu *c)
{
	struct kf_pace *p = &c->pace;
	ktime_t before = hrtimer_get_expires(&c->timer);
	ktime_t now = hrtimer_cb_get_time(&c->timer);
	u64 clock = kf_clock_read();

	/*
	 * hrtimer_forward() silently makes a shorter interval as long as the
	 * resolution is, which may have changed since CONFIGURE.
	 */
	p->period_ns = max_t(u64, c->period_ns, hrtimer_resolution);
	hrtimer_forward(&c->timer, now, ns_to_ktime(p->period_ns));
	p->period = kf_clock_units(p->period_ns);
	p->due = clock + kf_clock_units(ktime_to_ns(ktime_sub(hrtimer_get_expires(&c->timer), now)));
	p->trusted = TRUSTED_SAMPLES - 1;
	return ktime_to_ns(ktime_sub(hrtimer_get_expires(&c->timer), before));
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct kf_cpu *c = container_of(timer, struct kf_cpu, timer);
	u64 begin = kf_clock_read(), end, weight, late = 0, cost;
	struct kf_pace *p = &c->pace;

	lockdep_assert_irqs_disabled();
	if (likely(is_on_time(p, begin))) {
		p->trusted--;
		p->due += p->period;
		weight = p->period_ns;
		hrtimer_add_expires_ns(timer, weight);
	} else {
		weight = forward(c);
		late = weight > p->period_ns ? weight - p->period_ns : 0;
	}

	c->books.samples++;
	c->books.weight_ns += weight;
	if (unlikely(late))
		c->books.missed += div64_u64(late, p->period_ns);

	kf_sample(c, get_irq_regs(), (unsigned long)__builtin_return_address(0), weight, late);

	/* It may go back where a virtual machine moves. */
	end = kf_clock_read();
	cost = end > begin ? kf_clock_ns(end - begin) : 0;
	c->books.handler_ns += cost;
	if (unlikely(cost > c->books.handler_max_ns))
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
	c->pace.trusted = 0;
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
