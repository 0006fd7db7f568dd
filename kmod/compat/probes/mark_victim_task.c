// SPDX-License-Identifier: GPL-2.0-only
/* mark_victim has the task, and a user id: 6.10, 72ba14deb40a, and where that was backported */
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/oom.h>

static void probe(void *data, struct task_struct *task, uid_t uid)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_mark_victim(probe);
}
