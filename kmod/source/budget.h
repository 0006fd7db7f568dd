/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - how long the period must be, so that samples stay within their budget
 *
 * Arithmetic only: the cost of a sample goes in, a period comes out. keep_account() in
 * source/timer.c shares the CPU among sessions. tests/unit/test_budget.c tests all rates.
 *
 * The mean cost of a sample follows a change within some 16 samples, which is 16 ms at 997 Hz. So a
 * few expensive samples among many cheap ones change nothing. A jump of the cost is answered
 * sooner, if two things are true: consecutive samples all cost twice the mean or more, and the next
 * sample would come more than KF_BUDGET_ANSWER_NS after the jump. Then the least of their costs
 * becomes the mean. One sample alone is no jump, because the hypervisor may have taken the CPU away
 * meanwhile. Below 400 Hz the second sample answers.
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

/* Each sample contributes 1/2^4 to the mean. */
#define KF_COST_SHIFT		4

/* A sample that costs so many times the mean is dear: the mean would follow too slowly. */
#define KF_COST_DEAR		2

/*
 * Two consecutive samples that cost so many times the mean are a jump. A single such sample is an
 * accident, and is counted as twice the mean.
 */
#define KF_COST_OUTLIER		8

/**
 * struct kf_budget - one CPU's part of a session
 * @cost_ns:	running mean of a sample's cost, including the interrupt; 0: no sample yet
 * @dear_ns:	the least cost of the last samples, if all of them were dear; else 0
 * @dear_from_ns:	costs from here on are dear, by the mean before the first dear sample
 * @dear_for_ns:	how long ago the jump may have been: the sum of the periods before the dear
 *		samples
 * @demand:	the part of this CPU's time that the session would take at the requested rate,
 *		1/1,000,000
 * @allowed:	the part of this CPU's time that the session may take, 1/1,000,000; 0: no limit
 *
 * Context: as struct kf_timer, which contains it.
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

/*
 * Note a usual sample: neither it nor the sample before is dear. Return: false if the sample is
 * unusual.
 */
static __always_inline bool kf_budget_usual(struct kf_budget *b, u64 cost_ns)
{
	if (unlikely(b->dear_ns || cost_ns >= b->cost_ns * KF_COST_DEAR))
		return false;
	kf_budget_mean(b, cost_ns);
	return true;
}

/*
 * Note an unusual sample. The session's first sample may be an outlier, so its cost counts at most
 * as much as the budget allows.
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

/* Do samples exceed their budget, or use so little that a stretched period may be shorter again? */
static __always_inline bool kf_budget_is_off(const struct kf_budget *b, u64 period_ns, u64 asked_ns)
{
	const u64 used = b->cost_ns * KF_BUDGET_ALL, may = period_ns * b->allowed;

	return used > may || (used * 2 < may && period_ns > asked_ns);
}

/**
 * kf_budget_period() - choose the next period, if kf_budget_is_off()
 * @b:		this CPU's
 * @period_ns:	the period now
 * @asked_ns:	the period that the session requested
 * @most_ns:	the longest possible period
 *
 * A step at most doubles the period, unless the last samples were dear. A step back at most halves
 * it.
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
