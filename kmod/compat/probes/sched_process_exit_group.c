// SPDX-License-Identifier: GPL-2.0-only
/* sched_process_exit ends with whether the task was the last one of its process: 6.16 */
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static void probe(void *data, struct task_struct *task, bool group_dead)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}
