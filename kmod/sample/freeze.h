/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * freeze.h - hits of events with KFLAME_EF_FREEZE freeze the flight recorder
 *
 * The events are of any session. The recorder starts and stops independently of them. While there is one, its
 * watch (sample/watch.h) is attached. A hit may come where RCU does not watch, as in the idle loop. So a
 * counter shows whether hits still use the watch.
 */
#ifndef KF_FREEZE_H
#define KF_FREEZE_H

#include <linux/types.h>

struct kf_watch;

void kf_freeze_attach(struct kf_watch *w);
void kf_freeze_detach(void);
void kf_freeze_hit(u64 weight);

#endif
