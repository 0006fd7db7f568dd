// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - which clock it is, see clock.h
 */
#include <linux/cache.h>
#include <linux/init.h>

#include "clock.h"

#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#endif

/* For mult to fit; there is no slower one. */
#define MIN_KHZ	(USEC_PER_SEC >> 9)

struct kf_clock kf_clock __ro_after_init = { .mult = 1U << KF_CLOCK_SHIFT };

/**
 * kf_clock_init() - choose one, once, at load
 */
void __init kf_clock_init(void)
{
#ifdef CONFIG_X86
	/* That of a virtual machine is made to be constant by who runs it. */
	if (tsc_khz < MIN_KHZ || !(boot_cpu_has(X86_FEATURE_CONSTANT_TSC) ||
			  boot_cpu_has(X86_FEATURE_HYPERVISOR)))
		return;
	kf_clock.mult = div_u64((u64)USEC_PER_SEC << KF_CLOCK_SHIFT, tsc_khz);
	kf_clock.khz = tsc_khz;
#endif
}
