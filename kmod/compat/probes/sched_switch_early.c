// SPDX-License-Identifier: GPL-2.0-only
/* sched_switch has the state of the task that goes as its second argument: 5.18, fa2c3254d7cf */
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static void probe(void *data, bool preempt, unsigned int state, struct task_struct *prev,
		  struct task_struct *next)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_sched_switch(probe);
}
