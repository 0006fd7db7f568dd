// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - the source of samples, see timer.h
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>

#include "budget.h"
#include "clock.h"
#include "compat/compat.h"
#include "sample.h"
#include "session.h"
#include "timer.h"
#include "timer_tick.h"

/* The time is asked for at least each so many samples. */
#define TRUSTED_SAMPLES	64

/* What all sessions with a budget would take of a CPU, at the rates that were asked for; KF_BUDGET_ALL is all */
static DEFINE_PER_CPU(u64, kf_demand);
static u32 kf_ceiling;

/* @permille: what all sessions together may take of a CPU; 0: as much as the one that asks may alone */
void kf_timer_set_ceiling(u32 permille)
{
	kf_ceiling = min(permille, 1000U) * (KF_BUDGET_ALL / 1000);
}

static u32 own_budget(const struct kf_cpu *c)
{
	return c->session->config.budget_permille * (KF_BUDGET_ALL / 1000);
}

static void demand(struct kf_cpu *c, u32 wanted)
{
	per_cpu(kf_demand, c->cpu) += (s64)wanted - c->budget.demand;
	c->budget.demand = wanted;
}

/*
 * All sessions have one account on a CPU. If together they would take more than the ceiling, each session may
 * take its part of the ceiling. The parts go by the rates that were asked for. If they went by the rates
 * of this moment, each session's change would change all others' parts. The account is looked at when the
 * timer asks for the time, at least each 64 samples: it changes only with the cost of a sample, and with
 * sessions that start or stop.
 */
static void keep_account(struct kf_cpu *c)
{
	const u32 own = own_budget(c), ceiling = kf_ceiling ?: own;
	struct kf_budget *b = &c->budget;
	u64 all;

	/* Until the first sample says what one costs, the session may take what it asked for. */
	if (!own || !b->cost_ns)
		return;
	demand(c, min_t(u64, own, div64_u64(b->cost_ns * KF_BUDGET_ALL,
					    c->session->config.period_ns)));
	all = per_cpu(kf_demand, c->cpu);
	b->allowed = all > ceiling ? max_t(u64, div64_u64((u64)b->demand * ceiling, all), 1) :
				     min(own, ceiling);
}

/* Out of line: few samples are. */
noinline void kf_timer_unusual(struct kf_cpu *c, u64 cost)
{
	kf_budget_unusual(&c->budget, cost, c->period_ns);
}

void kf_timer_stretch(struct kf_cpu *c)
{
	u64 period = kf_budget_period(&c->budget, c->period_ns, c->session->config.period_ns,
				      KF_MAX_PERIOD_NS);

	c->books.stretches += period > c->period_ns;
	c->period_ns = period;
	c->pace.trusted = 0;
}

/* By the time, and by what the period is by now. Return: how far, a multiple of that. */
u64 kf_timer_forward(struct kf_cpu *c)
{
	struct kf_pace *p = &c->pace;
	ktime_t before = hrtimer_get_expires(&c->timer);
	ktime_t now = hrtimer_cb_get_time(&c->timer);
	u64 clock = kf_clock_read();

	keep_account(c);
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

void kf_timer_init(struct kf_cpu *c)
{
	hrtimer_setup(&c->timer, kf_sample_callback(kf_session_plan(c->session)), CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
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
	c->budget.allowed = own_budget(c);
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
	demand(c, 0);
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
