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

/* Does it wait for a lock that sleeps only with PREEMPT_RT (since 5.15)? */
#ifdef TASK_RTLOCK_WAIT
#define KF_TASK_RTLOCK_WAIT	TASK_RTLOCK_WAIT
#else
#define KF_TASK_RTLOCK_WAIT	0
#endif

/*
 * Is it frozen? @state: its TASK_*. Since 6.1 that is a state (f5d39b020809 "freezer,sched: Rewrite core
 * freezer logic"). Before that the state is TASK_UNINTERRUPTIBLE, and a flag tells the difference.
 */
static inline bool kf_is_frozen(const struct task_struct *t, unsigned int state)
{
#ifdef TASK_FROZEN
	return state & TASK_FROZEN;
#else
	return READ_ONCE(t->flags) & PF_FROZEN;
#endif
}

#endif
