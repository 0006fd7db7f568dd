// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_budget.c - how soon the module's budget answers, at every rate
 *
 * The module's own arithmetic (kmod/source/budget.h), with samples that cost what the test says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../kmod/source/budget.h"

#define MAX_PERIOD	1000000000u

struct cpu {
	struct kf_budget budget;
	u64 asked;
	u64 period;
};

/* As the timer does it (keep_budget() in kmod/source/timer_tick.h) */
static void sample(struct cpu *c, u64 cost)
{
	struct kf_budget *b = &c->budget;

	if (!kf_budget_usual(b, cost))
		kf_budget_unusual(b, cost, c->period);
	if (kf_budget_is_off(b, c->period, c->asked))
		c->period = kf_budget_period(b, c->period, c->asked, MAX_PERIOD);
}

/* Within the budget, or at the longest period */
static bool keeps(const struct cpu *c, u64 cost)
{
	return cost * KF_BUDGET_ALL <= c->period * c->budget.allowed || c->period == MAX_PERIOD;
}

/* A CPU whose samples have cost @cost for a while */
static struct cpu settled(u64 period, u32 permille, u64 cost)
{
	struct cpu c = { .budget.allowed = permille * 1000, .asked = period, .period = period };

	for (int i = 0; i < 200; i++)
		sample(&c, cost);
	return c;
}

/* @visit each rate, budget, and part of the budget that samples take at first */
static void each(void (*visit)(u64 period, u32 permille, u64 cost))
{
	static const unsigned int rates[] = { 49, 99, 199, 399, 499, 997, 1999, 4999, 9973, 20000 };
	static const unsigned int permilles[] = { 1, 10, 50, 200 }, percents[] = { 2, 20, 60, 95 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
		for (size_t b = 0; b < sizeof(permilles) / sizeof(*permilles); b++)
			for (size_t p = 0; p < sizeof(percents) / sizeof(*percents); p++) {
				u64 period = 1000000000u / rates[r];

				visit(period, permilles[b],
				      period * permilles[b] / 1000 * percents[p] / 100 + 1);
			}
}

/* The jump comes just after a sample, so that its first one is a whole period later. */
static void a_jump(u64 period, u32 permille, u64 before)
{
	for (unsigned int times = 2; times <= 200; times += times < 20 ? 1 : 20) {
		struct cpu c = settled(period, permille, before);
		u64 cost = before * times, passed = 0, samples = 0;

		for (; !keeps(&c, cost) && samples < 100; samples++) {
			passed += c.period;
			sample(&c, cost);
		}
		if (passed > KF_BUDGET_ANSWER_NS && samples > 2)
			fail_msg("%llu ns at each %llu, %u permille, %u times: in %llu ns",
				 (unsigned long long)before, (unsigned long long)period,
				 permille, times, (unsigned long long)passed);
	}
}

static void jumps_are_answered_within_5_ms(void **state)
{
	(void)state;
	each(a_jump);
}

/* A vCPU that is taken away during one sample in a hundred, for long, leaves the others' period as it is. */
static void an_outlier(u64 period, u32 permille, u64 cost)
{
	struct cpu c = settled(period, permille, cost);

	if (cost * KF_BUDGET_ALL * 2 > period * c.budget.allowed)
		return;
	for (int i = 0; i < 1000; i++) {
		sample(&c, i % 100 ? cost : cost * 5000);
		assert_true(c.period == period);
	}
}

static void outliers_are_not(void **state)
{
	(void)state;
	each(an_outlier);
}

/* When samples are cheap again, the period is nearly what was asked for after 160 of them. */
static void a_past_jump(u64 period, u32 permille, u64 cost)
{
	struct cpu c = settled(period, permille, cost);

	if (cost * KF_BUDGET_ALL * 2 > period * c.budget.allowed)
		return;
	for (int i = 0; i < 100; i++)
		sample(&c, cost * 50);
	for (int i = 0; i < 80; i++)
		sample(&c, cost);
	assert_true(c.period < 4 * period);
	for (int i = 0; i < 80; i++)
		sample(&c, cost);
	assert_true(c.period <= 2 * period);
}

static void the_period_comes_back(void **state)
{
	(void)state;
	each(a_past_jump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_are_answered_within_5_ms),
		cmocka_unit_test(outliers_are_not),
		cmocka_unit_test(the_period_comes_back),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
