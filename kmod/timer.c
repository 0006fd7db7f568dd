// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer.c - the source of samples, see timer.h
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "clock.h"
#include "compat/compat.h"
#include "sample.h"
#include "session.h"
#include "timer.h"

/* The time is asked for at least each so many samples. */
#define TRUSTED_SAMPLES	64

/* One step is at most a doubling, so that a single odd sample does little; and back the same way. */
void kf_timer_stretch(struct kf_cpu *c, u32 budget)
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

/* By the time, and by what the period is by now. Return: how far, a multiple of that. */
u64 kf_timer_forward(struct kf_cpu *c)
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
