/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - how long something takes on one CPU, by the cheapest clock
 *
 * For short differences: how long a sample took, and whether a timer is on time. On x86 this is the
 * TSC, if its rate is known and constant, or if a hypervisor sees to that. On arm64 it is the
 * counter of the architecture's timer: one instruction, where sched_clock(), which reads the same
 * counter, takes thirty to fifty. Elsewhere it is sched_clock().
 *
 * A difference may be any value if the machine slept or was migrated in between. Callers must
 * tolerate that.
 */
#ifndef KF_CLOCK_H
#define KF_CLOCK_H

#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <linux/types.h>

#if defined(CONFIG_X86)
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64)
#include <asm/sysreg.h>
#endif

/* Chosen for a TSC of at most 5 cycles a nanosecond. */
#define KF_CLOCK_SHIFT	22

/**
 * struct kf_clock - how to convert units of the clock to nanoseconds; written once, at load
 * @mult:	nanoseconds of a unit, times 2^KF_CLOCK_SHIFT
 * @khz:	rate of the counter, one step of which is the unit; 0: the unit is a nanosecond
 */
struct kf_clock {
	u32 mult;
	u32 khz;
};

extern struct kf_clock kf_clock;

void kf_clock_init(void);

/* On a CPU with a timer erratum the counter may be wrong. Differences may be wrong anyway. */
static __always_inline u64 kf_counter(void)
{
#if defined(CONFIG_X86)
	return rdtsc();
#elif defined(CONFIG_ARM64)
	return read_sysreg(cntvct_el0);
#else
	return 0;
#endif
}

/* Does kf_clock_read() read the CPU's counter, not sched_clock()? */
static __always_inline bool kf_clock_is_counter(void)
{
	return kf_clock.khz;
}

/* The time now, in units of the clock */
static __always_inline u64 kf_clock_read(void)
{
	return likely(kf_clock_is_counter()) ? kf_counter() : sched_clock();
}

/*
 * Convert a difference of two readings to nanoseconds, to 0.1 %. A difference of an hour may
 * overflow.
 */
static __always_inline u64 kf_clock_ns(u64 difference)
{
	return (difference * kf_clock.mult) >> KF_CLOCK_SHIFT;
}

/* Convert nanoseconds, up to an hour, to units of the clock */
static inline u64 kf_clock_units(u64 ns)
{
	return kf_clock.khz ? div_u64(ns * kf_clock.khz, USEC_PER_SEC) : ns;
}

#endif
