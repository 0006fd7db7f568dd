/* SPDX-License-Identifier: GPL-2.0-only */
/* wait_context.h - what a sleeping task waits for, as KFLAME_CTX_* */
#ifndef KF_WAIT_CONTEXT_H
#define KF_WAIT_CONTEXT_H

#include <kflame.h>
#include "compat/task_state.h"

/* KFLAME_CTX_*; @state: TASK_*, of the wait */
static inline u32 kf_wait_context(const struct task_struct *t, unsigned int state)
{
	if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_PARKED) || kf_is_frozen(t, state))
		return KFLAME_CTX_STOPPED;
	if (state & KF_TASK_RTLOCK_WAIT)
		return KFLAME_CTX_UNINTERRUPTIBLE;
	if (state & TASK_UNINTERRUPTIBLE && !(state & TASK_NOLOAD))
		return t->in_iowait ? KFLAME_CTX_IOWAIT : KFLAME_CTX_UNINTERRUPTIBLE;
	return KFLAME_CTX_INTERRUPTIBLE;
}

#endif
