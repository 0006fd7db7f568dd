// SPDX-License-Identifier: GPL-2.0-only
/* sched_entity.sched_delayed: 6.12, 152e11f6df29 */
#include <linux/sched.h>

bool feature(const struct task_struct *t);
bool feature(const struct task_struct *t)
{
	return t->se.sched_delayed;
}
