/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - samples of events other than the timer, as sources take them
 */
#ifndef KF_EVENTS_H
#define KF_EVENTS_H

#include "source/source.h"

extern const struct kf_sample_ops kf_sample_ops;

#endif
