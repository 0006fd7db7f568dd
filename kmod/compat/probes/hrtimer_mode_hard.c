// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>

enum hrtimer_mode probe = HRTIMER_MODE_ABS_PINNED_HARD;
