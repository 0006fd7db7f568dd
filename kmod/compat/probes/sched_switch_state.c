// SPDX-License-Identifier: GPL-2.0-only
/* sched_switch ends with the state of the task that goes: 5.19, 9c2136be0878 */
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static void probe(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		  unsigned int state)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_sched_switch(probe);
}
