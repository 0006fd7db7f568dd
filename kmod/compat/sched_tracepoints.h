/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_tracepoints.h - types of the scheduler's tracepoints, where KF_TRACEPOINTS is defined
 */
#ifndef KF_SCHED_TRACEPOINTS_H
#define KF_SCHED_TRACEPOINTS_H

#include "compat/features.h"
#include "compat/task_state.h"
#include "compat/tracepoints.h"

#ifdef KF_TRACEPOINTS

#include <linux/sched.h>
#include <trace/events/sched.h>

/*
 * The arguments of the tracepoint sched_switch. The state of @prev, as __schedule() found it, is the second
 * one in 5.18 (fa2c3254d7cf), and the last one since 5.19 (9c2136be0878). KF_SWITCH_STATE is the state, by
 * these arguments.
 */
#if defined(KF_HAVE_SCHED_SWITCH_STATE)
#define KF_SWITCH_ARGS	bool preempt, struct task_struct *prev, struct task_struct *next, \
			unsigned int prev_state
#define KF_SWITCH_STATE	prev_state
#elif defined(KF_HAVE_SCHED_SWITCH_EARLY)
#define KF_SWITCH_ARGS	bool preempt, unsigned int prev_state, struct task_struct *prev, \
			struct task_struct *next
#define KF_SWITCH_STATE	prev_state
#else
#define KF_SWITCH_ARGS	bool preempt, struct task_struct *prev, struct task_struct *next
#define KF_SWITCH_STATE	kf_switch_state(prev)
#endif
#define kf_check_switch_probe(probe)	check_trace_callback_type_sched_switch(probe)
#define kf_check_wakeup_probe(probe)	check_trace_callback_type_sched_wakeup(probe)
#define kf_check_waking_probe(probe)	check_trace_callback_type_sched_waking(probe)

/* The arguments of the tracepoint sched_process_exit, which a task passes when it ends */
#ifdef KF_HAVE_SCHED_PROCESS_EXIT_GROUP
#define KF_EXIT_ARGS	struct task_struct *task, bool group_dead
#else
#define KF_EXIT_ARGS	struct task_struct *task
#endif
#define kf_check_exit_probe(probe)	check_trace_callback_type_sched_process_exit(probe)

/*
 * For kernels whose sched_switch has no state. Another CPU may be waking @prev already. Then its state is
 * TASK_WAKING, and only the bit that __schedule() has just written tells what it was.
 */
static inline unsigned int kf_switch_state(const struct task_struct *prev)
{
	const unsigned int state = kf_task_state(prev);

	if (state != TASK_WAKING)
		return state;
	return prev->sched_contributes_to_load ? TASK_UNINTERRUPTIBLE : TASK_INTERRUPTIBLE;
}

#endif
#endif
