/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * work.h - the module's work queue
 *
 * Unbound, so that no CPU that is kept busy by a real-time task holds it up;
 * of high priority, since the jobs hold other processes' address spaces. Made
 * at load before any session, destroyed at unload after the last.
 */
#ifndef KF_WORK_H
#define KF_WORK_H

#include <linux/workqueue.h>

extern struct workqueue_struct *kf_wq;

int kf_work_init(void);
void kf_work_exit(void);

#endif
