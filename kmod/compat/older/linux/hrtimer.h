/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/hrtimer.h>

#include "compat/features.h"

/* Since 5.4 ("hrtimer: Introduce HARD expiry mode"); before that, all timers expire in hard interrupts */
#ifndef KF_HAVE_HRTIMER_MODE_HARD
#define HRTIMER_MODE_ABS_PINNED_HARD	HRTIMER_MODE_ABS_PINNED
#endif
