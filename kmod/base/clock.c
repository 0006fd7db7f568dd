// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - which clock this machine uses, see base/clock.h
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/printk.h>

#include "base/clock.h"

#if defined(CONFIG_X86)
#include <asm/cpufeature.h>
#elif defined(CONFIG_ARM64)
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#endif

/* At a lower rate mult would overflow. No real counter is slower. */
#define MIN_KHZ	(USEC_PER_SEC >> 9)

struct kf_clock kf_clock __ro_after_init = { .mult = 1U << KF_CLOCK_SHIFT };

#if defined(CONFIG_X86)

static u32 __init counter_khz(void)
{
	/* A hypervisor keeps the TSC of a virtual machine constant. */
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && !boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return 0;
	return tsc_khz;
}

#elif defined(CONFIG_ARM64)

#define TRIAL_US	200
#define TRIALS		3

/*
 * Does the counter run at @khz? A single trial may fail, because something else may interrupt it.
 */
static bool __init is_as_fast(u32 khz)
{
	u64 counted, claimed, ns;

	preempt_disable();
	ns = ktime_get_raw_ns();
	counted = kf_counter();
	udelay(TRIAL_US);
	counted = kf_counter() - counted;
	ns = ktime_get_raw_ns() - ns;
	preempt_enable();
	claimed = div_u64(ns * khz, USEC_PER_SEC);
	return counted - claimed + claimed / 16 <= claimed / 8;
}

/*
 * The rate that firmware wrote to CNTFRQ may be wrong. The kernel may know a better one
 * (clock-frequency in the timer's device tree node). So a short trial checks the rate.
 */
static u32 __init counter_khz(void)
{
	u32 khz = read_sysreg(cntfrq_el0) / MSEC_PER_SEC;
	unsigned int i;

	for (i = 0; i < TRIALS; i++)
		if (is_as_fast(khz))
			return khz;
	return 0;
}

#else

static u32 __init counter_khz(void)
{
	return 0;
}

#endif

/* Not __init: see log_image() in kstack/by_frame_records.c */
static noinline void tell_clock(void)
{
	pr_debug("kflame: samples are timed by a counter of %u kHz\n", kf_clock.khz);
}

/**
 * kf_clock_init() - choose the clock, once, at load
 */
void __init kf_clock_init(void)
{
	u32 khz = counter_khz();

	if (khz < MIN_KHZ)
		return;
	kf_clock.mult = div_u64((u64)USEC_PER_SEC << KF_CLOCK_SHIFT, khz);
	kf_clock.khz = khz;
	tell_clock();
}
