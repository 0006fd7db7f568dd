/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * work.h - the module's work queue
 *
 * It is unbound, so a CPU that a real-time task keeps busy does not hold it up. It has high priority,
 * because the jobs hold other processes' address spaces. It is made at load before any session, and
 * destroyed at unload after the last one.
 */
#ifndef KF_WORK_H
#define KF_WORK_H

#include <linux/workqueue.h>

extern struct workqueue_struct *kf_wq;

int kf_work_init(void);
void kf_work_exit(void);

#endif
