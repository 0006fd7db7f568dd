/* SPDX-License-Identifier: GPL-2.0-only */
/* task_state.h - what a task is doing: the scheduler's fields differ over the years */
#ifndef KF_TASK_STATE_H
#define KF_TASK_STATE_H

#include <linux/sched.h>

#include "compat/features.h"

/* TASK_*. The field has two underscores since 5.14. */
static inline unsigned int kf_task_state(const struct task_struct *t)
{
#ifdef KF_HAVE_TASK_STATE
	return READ_ONCE(t->__state);
#else
	return READ_ONCE(t->state);
#endif
}

/*
 * Does it sleep although it is on the run queue? Since 6.12 a task may stay there until its turn
 * comes, and is taken off then instead of running.
 */
static inline bool kf_is_delayed(const struct task_struct *t)
{
#ifdef KF_HAVE_SCHED_DELAYED
	return READ_ONCE(t->se.sched_delayed);
#else
	return false;
#endif
}

/*
 * Does it wait for a lock that sleeps only with PREEMPT_RT (since 5.15)? Or is it frozen, with a state of
 * its own for that (since 6.1)?
 */
#ifdef TASK_RTLOCK_WAIT
#define KF_TASK_RTLOCK_WAIT	TASK_RTLOCK_WAIT
#else
#define KF_TASK_RTLOCK_WAIT	0
#endif
#ifdef TASK_FROZEN
#define KF_TASK_FROZEN		TASK_FROZEN
#else
#define KF_TASK_FROZEN		0
#endif

#endif
