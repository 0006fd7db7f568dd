// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocked_tasks.c - a trigger: too many tasks sleep uninterruptibly, see recorder/blocked_tasks.h
 */
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "base/work.h"
#include "compat/task_state.h"
#include "recorder/blocked_tasks.h"
#include "recorder/recorder.h"

/* Tasks that are looked at before others may run */
#define BATCH		1024U

/*
 * As ps shows it: TASK_NOLOAD is for kernel threads that have nothing to do. Frozen tasks do not count: while
 * the machine is suspended, all are.
 */
static bool is_blocked(const struct task_struct *t)
{
	const unsigned int state = kf_task_state(t);

	if (state & TASK_NOLOAD || kf_is_frozen(t, state))
		return false;
	return state & (TASK_UNINTERRUPTIBLE | KF_TASK_RTLOCK_WAIT);
}

/*
 * Let others run in the middle of the walk. Return: false if one of the two tasks has ended meanwhile. Then
 * the walk cannot continue.
 */
static bool take_a_break(struct task_struct *p, struct task_struct *t)
{
	bool is_there;

	get_task_struct(p);
	get_task_struct(t);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	/* An ended task has left the lists. */
	is_there = pid_alive(p) && pid_alive(t);
	put_task_struct(t);
	put_task_struct(p);
	return is_there;
}

/* Return: tasks that sleep so. Fewer if the walk could not continue; the next look counts anew. */
static u32 count(void)
{
	struct task_struct *p, *t;
	u32 blocked = 0, seen = 0;

	rcu_read_lock();
	for_each_process_thread(p, t) {
		blocked += is_blocked(t);
		if (++seen % BATCH == 0 && !take_a_break(p, t))
			goto out;
	}
out:
	rcu_read_unlock();
	return blocked;
}

static void look(struct work_struct *work)
{
	struct kf_blocked_tasks *b = container_of(work, struct kf_blocked_tasks, work.work);
	const u32 blocked = count();

	if (blocked > b->most)
		kf_recorder_trip(container_of(b, struct kf_recorder, triggers.blocked), KFLAME_FREEZE_BLOCKED,
				 blocked);
	queue_delayed_work(kf_wq, &b->work, HZ);
}

/* Begin to look. @b: of a struct kf_recorder. @most: not 0 */
void kf_blocked_tasks_register(struct kf_blocked_tasks *b, u32 most)
{
	b->most = most;
	INIT_DELAYED_WORK(&b->work, look);
	queue_delayed_work(kf_wq, &b->work, HZ);
}

/* Undo it; may sleep. When it returns, nothing fires. */
void kf_blocked_tasks_unregister(struct kf_blocked_tasks *b)
{
	if (!b->most)
		return;
	cancel_delayed_work_sync(&b->work);
	b->most = 0;
}
