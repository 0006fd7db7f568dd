/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - how long the period must be, so that samples take no more than they may
 *
 * Arithmetic only: the cost of a sample goes in, a period comes out. keep_account() in source/timer.c
 * shares the CPU among sessions. tests/unit/test_budget.c goes through all rates.
 *
 * The mean of a sample's cost follows a change within some 16 samples, so a few expensive samples among
 * many cheap ones change nothing. At 997 Hz that is 16 ms. A jump is answered sooner: if samples in a row
 * all cost twice the mean or more, and the next one would come more than KF_BUDGET_ANSWER_NS after the
 * jump, the least of their costs becomes the mean. One sample alone is no jump, because the virtual CPU
 * may have been taken away meanwhile. Below 400 Hz the second sample answers.
 */
#ifndef KF_BUDGET_H
#define KF_BUDGET_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* All of a CPU's time, in struct kf_budget's @demand and @allowed */
#define KF_BUDGET_ALL		1000000U

#define KF_BUDGET_ANSWER_NS	5000000U

/* The mean takes 1/2^4 of each sample. */
#define KF_COST_SHIFT		4

/* A sample this many times dearer than the mean is dear: the mean would be slow to follow. */
#define KF_COST_DEAR		2

/* This many times dearer, two in a row are a jump; one, as it is by accident, counts as twice the mean. */
#define KF_COST_OUTLIER		8

/**
 * struct kf_budget - one CPU's part of a session
 * @cost_ns:	running mean of what a sample costs, the interrupt with it; 0: none was taken
 * @dear_ns:	the least that the last samples cost, if all of them were dear; else 0
 * @dear_from_ns:	what is dear, by the mean before the first of them
 * @dear_for_ns:	how long ago the jump may have been: the periods before each of these
 * @demand:	the part of this CPU's time that the session would take at the rate that was asked for,
 *		1/1,000,000
 * @allowed:	the part of this CPU's time that the session may take, 1/1,000,000; 0: there is no budget
 *
 * Context: as struct kf_timer, which it is in.
 */
struct kf_budget {
	u64 cost_ns;
	u64 dear_ns;
	u64 dear_from_ns;
	u64 dear_for_ns;
	u32 demand;
	u32 allowed;
};

static inline void kf_budget_mean(struct kf_budget *b, u64 cost_ns)
{
	b->cost_ns += ((s64)cost_ns - (s64)b->cost_ns) >> KF_COST_SHIFT;
}

/* Note a sample as usual: neither is it dear, nor was the one before. Return: false if it is not that. */
static __always_inline bool kf_budget_usual(struct kf_budget *b, u64 cost_ns)
{
	if (unlikely(b->dear_ns || cost_ns >= b->cost_ns * KF_COST_DEAR))
		return false;
	kf_budget_mean(b, cost_ns);
	return true;
}

/*
 * Note any other sample. If it is the first one of all, it may be an outlier: the session begins within its
 * budget.
 */
static inline void kf_budget_unusual(struct kf_budget *b, u64 cost_ns, u64 period_ns)
{
	bool again = b->dear_ns;

	if (again && cost_ns < b->dear_from_ns) {
		b->dear_ns = 0;
		kf_budget_mean(b, cost_ns);
		return;
	}
	b->dear_ns = again ? min(b->dear_ns, cost_ns) : cost_ns;
	b->dear_for_ns = again ? b->dear_for_ns + period_ns : period_ns;
	if (!b->cost_ns) {
		b->cost_ns = min(cost_ns, div_u64(period_ns * b->allowed, KF_BUDGET_ALL));
		b->dear_from_ns = b->cost_ns * KF_COST_DEAR;
		return;
	}
	if (!again)
		b->dear_from_ns = b->cost_ns * KF_COST_DEAR;
	/* The next period may be twice as long. */
	if (again && (b->dear_ns >= b->dear_from_ns / KF_COST_DEAR * KF_COST_OUTLIER ||
		      b->dear_for_ns + 2 * period_ns > KF_BUDGET_ANSWER_NS))
		b->cost_ns = b->dear_ns;
	else if (cost_ns >= b->cost_ns * KF_COST_OUTLIER)
		b->cost_ns += b->cost_ns >> KF_COST_SHIFT;
	else
		kf_budget_mean(b, cost_ns);
}

/* Would samples take more than they may, or so little that the period may be shorter again? */
static __always_inline bool kf_budget_is_off(const struct kf_budget *b, u64 period_ns, u64 asked_ns)
{
	const u64 used = b->cost_ns * KF_BUDGET_ALL, may = period_ns * b->allowed;

	return used > may || (used * 2 < may && period_ns > asked_ns);
}

/**
 * kf_budget_period() - the period to go on with, where kf_budget_is_off()
 * @b:		of this CPU
 * @period_ns:	now
 * @asked_ns:	what the session asked for
 * @most_ns:	the longest there is
 *
 * A step at most doubles the period, unless the last samples were dear. A step back at most halves it.
 *
 * Return: nanoseconds, from @asked_ns to @most_ns.
 */
static inline u64 kf_budget_period(const struct kf_budget *b, u64 period_ns, u64 asked_ns, u64 most_ns)
{
	u64 want = div_u64(b->cost_ns * KF_BUDGET_ALL, b->allowed);

	if (b->cost_ns * KF_BUDGET_ALL <= period_ns * b->allowed)
		return max(period_ns / 2, asked_ns);
	return min3(want + 1, b->dear_ns ? most_ns : period_ns * 2, most_ns);
}

#endif
