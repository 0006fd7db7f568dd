/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * freeze_tracepoints.h - tracepoints that show that a machine is in trouble, by the arguments of their probes
 *
 * mark_victim has the victim's pid, and since 6.10 the task and a user id (72ba14deb40a "mm: update
 * mark_victim tracepoints fields"). sched_process_hang has the task.
 *
 * KF_FREEZE_TRACEPOINTS is defined if a module can have probes of both.
 */
#ifndef KF_FREEZE_TRACEPOINTS_H
#define KF_FREEZE_TRACEPOINTS_H

#include "compat/features.h"
#include "compat/tracepoints.h"

#ifdef KF_TRACEPOINTS
#define KF_FREEZE_TRACEPOINTS

#include <linux/sched.h>

#ifdef KF_HAVE_MARK_VICTIM_TASK
#define KF_VICTIM_PROTO	void *data, struct task_struct *victim, uid_t uid
#define KF_VICTIM_PID	victim->pid
#else
#define KF_VICTIM_PROTO	void *data, int victim
#define KF_VICTIM_PID	victim
#endif

#define KF_HUNG_PROTO	void *data, struct task_struct *task

#endif
#endif
