/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - what was running, stored: the path from the interrupt to the table
 */
#ifndef KF_SAMPLE_H
#define KF_SAMPLE_H

#include <linux/hrtimer.h>

#include "session.h"

typedef enum hrtimer_restart kf_sample_fn(struct hrtimer *timer);

kf_sample_fn *kf_sample_callback(enum kf_plan plan);

#endif
