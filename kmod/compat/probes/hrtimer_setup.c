// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>

void probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *));
void probe(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *))
{
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}
