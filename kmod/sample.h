/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - what was running, stored: the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include <linux/hrtimer.h>

enum hrtimer_restart kf_sample_fn(struct hrtimer *timer);

#endif
