/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - how long something takes on one CPU, by the cheapest clock
 *
 * For short differences: how long a sample took, and whether a timer is on time. On x86 this is the
 * TSC, if its rate is known and constant, or if a hypervisor sees to that. On arm64 it is the counter of
 * the architecture's timer: one instruction, where sched_clock(), which reads the same counter, takes
 * thirty to fifty. Elsewhere it is sched_clock().
 *
 * A difference may be anything if the machine slept or was migrated meanwhile. Callers must bear that.
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

/* The fastest TSC has 5 cycles a nanosecond. */
#define KF_CLOCK_SHIFT	22

/**
 * struct kf_clock - written once, at load
 * @mult:	nanoseconds of a unit, times 2^KF_CLOCK_SHIFT
 * @khz:	of the counter, whose step is the unit; 0: a nanosecond is
 */
struct kf_clock {
	u32 mult;
	u32 khz;
};

extern struct kf_clock kf_clock;

void kf_clock_init(void);

/* It may err where a CPU's timer does (errata), as all differences may. */
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

/* Is it kf_counter()? */
static __always_inline bool kf_clock_is_counter(void)
{
	return kf_clock.khz;
}

/* Now, in units of its own */
static __always_inline u64 kf_clock_read(void)
{
	return likely(kf_clock_is_counter()) ? kf_counter() : sched_clock();
}

/* Nanoseconds of a difference of two readings, to 0.1 %; one of an hour may overflow. */
static __always_inline u64 kf_clock_ns(u64 difference)
{
	return (difference * kf_clock.mult) >> KF_CLOCK_SHIFT;
}

/* What readings differ by after so many nanoseconds, up to an hour */
static inline u64 kf_clock_units(u64 ns)
{
	return kf_clock.khz ? div_u64(ns * kf_clock.khz, USEC_PER_SEC) : ns;
}

#endif
