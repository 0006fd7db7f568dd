/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocked_tasks.h - a trigger: too many tasks sleep uninterruptibly ("D" in ps)
 *
 * A work looks at all tasks once a second. So tasks count that slept before the recorder was started, and
 * switches of tasks cost nothing. If real-time tasks starve all threads, nobody looks.
 *
 * Context: process context.
 */
#ifndef KF_BLOCKED_TASKS_H
#define KF_BLOCKED_TASKS_H

#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * struct kf_blocked_tasks - what the work needs
 * @most:	tasks that may sleep so; 0: the work was not started
 * @work:	on base/work.h
 *
 * Ownership: part of struct kf_triggers. Zero is a valid value.
 */
struct kf_blocked_tasks {
	u32 most;
	struct delayed_work work;
};

void kf_blocked_tasks_register(struct kf_blocked_tasks *b, u32 most);
void kf_blocked_tasks_unregister(struct kf_blocked_tasks *b);

#endif
