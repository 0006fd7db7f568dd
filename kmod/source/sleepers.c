// SPDX-License-Identifier: GPL-2.0-only
/*
 * sleepers.c - an event source: where tasks sleep, seen by looking at all tasks every 10 ms
 *
 * For kernels without the scheduler's tracepoints, which source/offcpu.c needs. A kernel thread looks
 * at all tasks. Each task that sleeps gets a sample, which weighs the time since the look before. So
 * the cost does not depend on how often tasks are switched. A wait that is shorter than the period is
 * seen or not by chance; sums are right on average. The time between two looks varies at random, so
 * that tasks with a period of their own are not always met at the same point. Time in which a task
 * waits for a CPU is not seen.
 *
 * A sleeping task is woken under its pi_lock. So while the caller holds that lock, the task's stack does
 * not change, and the task does not end.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "compat/task_state.h"
#include "source/source.h"
#include "source/wait_context.h"

#define PERIOD_NS	(10 * NSEC_PER_MSEC)
/* A look takes no more than this part of the time: with many tasks the period gets longer. */
#define MOST_PART	20U
#define MOST_TASKS	32768U
#define FEWEST_TASKS	1024U
/* Tasks that are looked at before others may run */
#define BATCH		32U

/**
 * struct sleepers - what the source keeps of an event: its kf_event.data
 * @thread:	the thread that looks
 * @task:	tasks of one look, with a reference each
 * @max:	room in @task
 * @last_ns:	when it looked before, CLOCK_MONOTONIC; 0: not yet
 *
 * Ownership: from attach() to detach(). In between only @thread uses it.
 */
struct sleepers {
	struct task_struct *thread;
	struct task_struct **task;
	u32 max;
	u64 last_ns;
};

static bool is_on_cpu(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	/* Pairs with finish_task() of the scheduler: its stack is as the switch left it. */
	return smp_load_acquire(&t->on_cpu);
#else
	return t == current;
#endif
}

/*
 * Does a task sleep? The caller holds its pi_lock. Tasks that wait for a CPU do not sleep: one of them
 * ran until this thread took its CPU.
 */
static bool is_asleep(const struct task_struct *t)
{
	const unsigned int state = kf_task_state(t);

	if (state == TASK_RUNNING || state == TASK_WAKING || state & (TASK_DEAD | TASK_NEW))
		return false;
	if (READ_ONCE(t->on_rq) && !kf_is_delayed(t))
		return false;
	/* In this order, as in try_to_wake_up(): a task that has left the queue may still be on its CPU. */
	smp_rmb();
	return !is_on_cpu(t);
}

static void look_at(struct kf_event *e, struct task_struct *t, u64 now, u64 weight)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->pi_lock, flags);
	if (is_asleep(t))
		e->sample->look(e, t, kf_wait_context(t, kf_task_state(t)), now, weight);
	raw_spin_unlock_irqrestore(&t->pi_lock, flags);
}

/* Return: how many tasks there are in @s->task. @left: out: those for which there was no room */
static u32 gather(struct sleepers *s, u32 *left)
{
	struct task_struct *p, *t;
	u32 nr = 0;

	*left = 0;
	rcu_read_lock();
	for_each_process_thread(p, t) {
		if (nr < s->max) {
			get_task_struct(t);
			s->task[nr++] = t;
		} else {
			++*left;
		}
	}
	rcu_read_unlock();
	return nr;
}

static void miss(struct kf_event *e, u32 nr)
{
	if (!nr)
		return;
	local_irq_disable();
	e->sample->missed(e, KFLAME_LOST_WAITS, nr, 0);
	local_irq_enable();
}

static void look(struct kf_event *e, struct sleepers *s)
{
	const u64 now = ktime_get_mono_fast_ns(), weight = s->last_ns ? now - s->last_ns : 0;
	u32 nr, left, i;

	s->last_ns = now;
	if (!weight)
		return;
	nr = gather(s, &left);
	miss(e, left);
	for (i = 0; i < nr; i++) {
		look_at(e, s->task[i], now, weight);
		put_task_struct(s->task[i]);
		if (i % BATCH == BATCH - 1)
			cond_resched();
	}
}

/* Sleep for @ns on average, or until kthread_stop(). */
static void rest(u64 ns)
{
	ktime_t time = ns - ns / 4 + mul_u64_u32_shr(ns / 2, get_random_u32(), 32);

	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop())
		schedule_hrtimeout(&time, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
}

static int watch(void *event)
{
	struct kf_event *e = event;
	struct sleepers *s = e->data;
	const u64 period = e->min ?: PERIOD_NS;
	u64 spent = 0, cpu_time;

	/* Looks that come late would see less. */
	set_user_nice(current, MIN_NICE);
	while (!kthread_should_stop()) {
		/* The scheduler adds to it when this thread sleeps. */
		cpu_time = READ_ONCE(current->se.sum_exec_runtime);
		rest(max(period, spent * MOST_PART));
		look(e, s);
		spent = READ_ONCE(current->se.sum_exec_runtime) - cpu_time;
	}
	return 0;
}

static void destroy(struct sleepers *s)
{
	kvfree(s->task);
	kf_memory_release(s->max * sizeof(*s->task));
	kfree(s);
}

static struct sleepers *create(void)
{
	struct sleepers *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	for (s->max = MOST_TASKS; s->max > FEWEST_TASKS; s->max /= 2)
		if (s->max * sizeof(*s->task) <= kf_memory_cap() / 8)
			break;
	if (!kf_memory_reserve(s->max * sizeof(*s->task)))
		goto free;
	s->task = kvcalloc(s->max, sizeof(*s->task), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (s->task)
		return s;
	kf_memory_release(s->max * sizeof(*s->task));
free:
	kfree(s);
	return NULL;
}

static int attach(struct kf_event *e)
{
	struct sleepers *s = create();

	if (!s)
		return -ENOMEM;
	s->thread = kthread_create(watch, e, "kflame-sleepers");
	if (IS_ERR(s->thread)) {
		int err = PTR_ERR(s->thread);

		destroy(s);
		return err;
	}
	e->data = s;
	/* Its samples are counted where it runs. */
	set_cpus_allowed_ptr(s->thread, e->cpus);
	wake_up_process(s->thread);
	return 0;
}

static void detach(struct kf_event *e)
{
	struct sleepers *s = e->data;

	kthread_stop(s->thread);
	e->data = NULL;
	destroy(s);
}

const struct kf_source kf_source_sleepers = {
	.name = "off-cpu-sampled",
	.kind = KFLAME_EVENT_SLEEPERS,
	.unit = KFLAME_UNIT_NS,
	.attach = attach,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
};
