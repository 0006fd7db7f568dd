// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - the timer as an event source, see source/timer.h
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>

#include "base/clock.h"
#include "compat/compat.h"
#include "source/budget.h"
#include "source/timer.h"
#include "source/timer_tick.h"

/* The timer's own clock is read at least once in this number of samples. */
#define TRUSTED_SAMPLES	64

/*
 * The part of a CPU that all sessions with a budget would take at their requested rates;
 * KF_BUDGET_ALL is all
 */
static DEFINE_PER_CPU(u64, kf_demand);
static u32 kf_ceiling;

/*
 * @permille: what all sessions together may take of a CPU; 0: the limit of the session in question
 */
void kf_timer_set_ceiling(u32 permille)
{
	kf_ceiling = min(permille, 1000U) * (KF_BUDGET_ALL / 1000);
}

static void demand(struct kf_timer *t, u32 wanted)
{
	per_cpu(kf_demand, t->part.cpu) += (s64)wanted - t->budget.demand;
	t->budget.demand = wanted;
}

/*
 * All sessions share one account on a CPU. If together they would take more than the ceiling, each
 * gets a part of the ceiling in proportion to its demand at the requested rate. With the current
 * rates, each session's change would change the parts of all others. The account is updated when
 * the timer reads its own clock, at least each 64 samples. That is enough: it changes only with the
 * cost of a sample, and with sessions that start or stop.
 */
static void keep_account(struct kf_timer *t)
{
	const u32 own = t->share, ceiling = kf_ceiling ?: own;
	struct kf_budget *b = &t->budget;
	u64 all;

	/* Until the first sample shows its cost, the session may take what it requested. */
	if (!own || !b->cost_ns)
		return;
	demand(t, min_t(u64, own, div64_u64(b->cost_ns * KF_BUDGET_ALL,
					    t->asked_ns)));
	all = per_cpu(kf_demand, t->part.cpu);
	b->allowed = all > ceiling ? max_t(u64, div64_u64((u64)b->demand * ceiling, all), 1) :
				     min(own, ceiling);
}

/* Out of line, because few samples are unusual. */
noinline void kf_timer_unusual(struct kf_timer *t, u64 cost)
{
	kf_budget_unusual(&t->budget, cost, t->period_ns);
}

void kf_timer_stretch(struct kf_timer *t)
{
	u64 period = kf_budget_period(&t->budget, t->period_ns, t->asked_ns,
				      KF_MAX_PERIOD_NS);

	t->part.books.stretches += period > t->period_ns;
	t->period_ns = period;
	t->pace.trusted = 0;
}

/*
 * Advance the expiry by the timer's own clock and the current period. Return: the advance in
 * nanoseconds, a multiple of the period.
 */
u64 kf_timer_forward(struct kf_timer *t)
{
	struct kf_pace *p = &t->pace;
	ktime_t before = hrtimer_get_expires(&t->hrtimer);
	ktime_t now = hrtimer_cb_get_time(&t->hrtimer);
	u64 clock = kf_clock_read();

	keep_account(t);
	/*
	 * hrtimer_forward() silently raises a shorter interval to the
	 * resolution, which may have changed since CONFIGURE.
	 */
	p->period_ns = max_t(u64, t->period_ns, hrtimer_resolution);
	hrtimer_forward(&t->hrtimer, now, ns_to_ktime(p->period_ns));
	p->period = kf_clock_units(p->period_ns);
	p->due = clock + kf_clock_units(ktime_to_ns(ktime_sub(hrtimer_get_expires(&t->hrtimer), now)));
	p->trusted = TRUSTED_SAMPLES - 1;
	return ktime_to_ns(ktime_sub(hrtimer_get_expires(&t->hrtimer), before));
}

/**
 * kf_timer_init() - initialise a timer, which does not run yet
 * @t:		zeroed
 * @expired:	its callback, around kf_timer_tick()
 * @cpu:	the CPU that it will run on
 * @period_ns:	between samples, KF_MIN_PERIOD_NS to KF_MAX_PERIOD_NS
 * @budget_permille: the part of the CPU that samples may take, 1/1000; 0: no limit
 */
void kf_timer_init(struct kf_timer *t, kf_timer_fn *expired, u32 cpu, u64 period_ns,
		   u32 budget_permille)
{
	t->part.cpu = cpu;
	t->asked_ns = period_ns;
	t->share = budget_permille * (KF_BUDGET_ALL / 1000);
	hrtimer_setup(&t->hrtimer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Each CPU begins at a different phase of the first period, so that CPUs do not all sample
 * at once.
 */
static u64 phase_ns(const struct kf_timer *t)
{
	return div_u64(t->asked_ns * (t->part.cpu + 1), nr_cpu_ids);
}

static struct kf_timer *timer_of(struct kf_event_cpu *part)
{
	return container_of(part, struct kf_timer, part);
}

static void arm(struct kf_event_cpu *part)
{
	struct kf_timer *t = timer_of(part);
	u64 phase = phase_ns(t);

	lockdep_assert_irqs_disabled();
	if (part->armed)
		return;
	t->period_ns = t->asked_ns;
	t->budget.allowed = t->share;
	t->pace.trusted = 0;
	part->started = ktime_get_ns();
	part->books.head_ns += phase;
	part->armed = true;
	hrtimer_start(&t->hrtimer, ns_to_ktime(part->started + phase),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

static void books(const struct kf_event_cpu *part, struct kflame_cpu *out)
{
	const struct kf_timer *t = container_of(part, const struct kf_timer, part);
	u64 now = ktime_get_ns();

	if (out != &part->books)
		*out = part->books;
	out->cpu = part->cpu;
	out->period_ns = t->period_ns;
	if (part->armed) {
		out->active_ns += now - part->started;
		out->tail_ns += now - ktime_to_ns(hrtimer_get_expires(&t->hrtimer));
	}
}

static void disarm(struct kf_event_cpu *part)
{
	struct kf_timer *t = timer_of(part);

	lockdep_assert_irqs_disabled();
	if (!part->armed)
		return;
	/*
	 * The callback runs on this CPU, so it does not run now. The timer can always be cancelled.
	 */
	WARN_ON_ONCE(hrtimer_try_to_cancel(&t->hrtimer) < 0);
	demand(t, 0);
	books(part, &part->books);
	part->armed = false;
}

const struct kf_source kf_source_timer = {
	.name = "cpu-clock",
	.kind = KFLAME_EVENT_TIMER,
	.unit = KFLAME_UNIT_NS,
	.arm = arm,
	.disarm = disarm,
	.books = books,
};
