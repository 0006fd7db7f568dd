// SPDX-License-Identifier: GPL-2.0-only
/*
 * offcpu.c - an event source: the time that tasks wait, by the stack with which they wait
 *
 * When a task is switched out, its stack is walked. This cannot wait: its user memory is there only
 * until the CPU switches to the next task's. When the task is switched in, the length of its wait is
 * known, and the wait is counted on that CPU. Between the two, a slot keeps the wait (source/waits.h).
 *
 * A wait has two parts, each of which is a sample: until the task is woken, with what it waited for, and
 * from then on (KFLAME_CTX_RUNNABLE). A task that is preempted waits for a CPU only. Each switch reads
 * one clock, once, for both tasks. So the time of a task on CPUs and its waits add up, from its first
 * wait in the recording on.
 *
 * With KFLAME_EF_WAKERS, the stacks of the waker are walked, too, in its own context. The tracepoint
 * sched_waking comes early: the task may still be in __schedule(), before the probe of its switch. So a
 * waker is kept beside the wait. The last waker before the task runs again has ended its wait.
 *
 * Context: the scheduler holds the lock of the run queue, with interrupts off. Nothing here wakes a
 * task, allocates or prints.
 */
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/clock.h"
#include "compat/sched_tracepoints.h"
#include "source/caller_regs.h"
#include "source/source.h"
#include "source/wait_context.h"
#include "source/waits.h"

#ifdef KF_TRACEPOINTS

/* Waits that one call of drain() looks at, so that interrupts are off for some 0.1 ms at most */
#define DRAIN_SLOTS	32U

/* NULL if this kernel has no such tracepoint */
struct points {
	struct tracepoint *swtch, *wakeup, *waking;
};

/**
 * struct offcpu - what the source keeps of an event: its kf_event.data
 * @points:	where its probes are registered
 * @waits:	tasks that wait. Who may write a slot: see source/waits.h
 * @ending:	no wait begins any more
 * @drained:	slots that drain() has seen; only drain() uses it
 *
 * Ownership: from attach() to detach(). Probes use it with interrupts off, on all CPUs at once.
 */
struct offcpu {
	struct points points;
	struct kf_waits waits;
	bool ending;
	u32 drained;
};

static struct points find_points(void)
{
	return (struct points){
		.swtch = kf_find_tracepoint("sched_switch"),
		.wakeup = kf_find_tracepoint("sched_wakeup"),
		.waking = kf_find_tracepoint("sched_waking"),
	};
}

static bool is_supported(void)
{
	struct points found = find_points();

	return found.swtch && found.wakeup && found.waking;
}

/*
 * KFLAME_CTX_*: what a task waits for that is switched out. @state: its state as __schedule() found it.
 * Its state now may differ: a waker or the freezer may have changed it. If it is TASK_RUNNING, the task
 * did not block after all: a signal was pending, or it was woken just in time.
 */
static u32 context_of(bool preempt, const struct task_struct *t, unsigned int state)
{
	if (preempt || kf_task_state(t) == TASK_RUNNING)
		return KFLAME_CTX_PREEMPTED;
	return kf_wait_context(t, state);
}

static void leave(struct kf_event *e, bool preempt, struct task_struct *prev, unsigned int state,
		  u64 now, struct pt_regs *regs)
{
	struct offcpu *o = e->data;
	struct kf_wait *w;

	/* See drain(): neither a sample nor its chunks may change while they are read there. */
	if (READ_ONCE(o->ending))
		return;
	/* On every CPU: a slot must not outlive its task, whose address another task may get. */
	if (!preempt && state & TASK_DEAD) {
		kf_waits_release(&o->waits, prev);
		return;
	}
	if (!e->sample->wants(e))
		return;
	w = kf_waits_claim(&o->waits, prev);
	if (!w) {
		e->sample->missed(e, KFLAME_LOST_WAITS, 1, 0);
		return;
	}
	w->context = context_of(preempt, prev, state);
	e->sample->keep(e, regs, kf_tracepoint_iterator(o->points.swtch), 0, &o->waits.chunks, &w->kept);
	/* Pairs with the load in drain(). */
	smp_store_release(&w->since_ns, now);
}

/* @waker: who ended it; NULL: not known, or no one did */
static void count_part(struct kf_event *e, const struct kf_wait *w, const struct kf_kept *waker,
		       u32 context, u64 from, u64 to, int why)
{
	struct offcpu *o = e->data;

	/* By a coarse clock it may take no time. */
	if (to > from)
		e->sample->count(e, &o->waits.chunks, &w->kept, waker, context, to, to - from, why);
}

/*
 * Who ended a wait; NULL: not known. A task that lost its CPU goes on by itself: meanwhile another CPU may
 * write a waker, if the task was about to wait. The same holds for a wait that has not ended.
 */
static struct kf_kept *waker_of(const struct kf_waits *waits, const struct kf_wait *w, u32 still)
{
	return still || w->context == KFLAME_CTX_PREEMPTED ? NULL : kf_waits_waker(waits, w);
}

/* Count a wait that nobody else counts any more, from @since to @now. @still: 0, or KFLAME_CTX_STILL */
static void count(struct kf_event *e, const struct kf_wait *w, u64 since, u64 now, u32 still)
{
	struct offcpu *o = e->data;
	struct kf_kept *waker = waker_of(&o->waits, w, still);
	u64 woken = READ_ONCE(w->woken_ns);
	int why = -1;

	/* The clocks of two CPUs may differ a little. */
	now = max(now, since);
	if (now - since < e->min || now - since > e->max)
		why = KFLAME_LOST_LENGTH;
	/*
	 * If no wake-up was seen, it still waits; or it was awake before it had begun to wait, and goes
	 * on.
	 */
	if (w->context == KFLAME_CTX_PREEMPTED || woken < since || woken > now) {
		count_part(e, w, waker, w->context | still, since, now, why);
	} else {
		count_part(e, w, waker, w->context, since, woken, why);
		count_part(e, w, NULL, KFLAME_CTX_RUNNABLE | still, woken, now, why);
	}
	if (waker)
		kf_kept_forget(waker);
}

static void resume(struct kf_event *e, struct task_struct *next, u64 now)
{
	struct offcpu *o = e->data;
	struct kf_wait *w = kf_waits_find(&o->waits, next);
	u64 since = w ? xchg(&w->since_ns, 0) : 0;

	if (since)
		count(e, w, since, now, 0);
}

/*
 * Count waits that have not ended, some at a time. Who sets @since_ns to 0 counts the wait: this
 * function, or resume() on another CPU at the same time. A task that resume() then finds counted
 * must not begin a new wait, which would overwrite the sample while it is read here. It sees
 * @ending, because that was written before @since_ns.
 */
static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct offcpu *o = e->data;
	struct kf_waits *waits = &o->waits;
	struct kf_wait *w;
	u64 since, now;
	u32 i;

	if (!part->armed || o->drained > waits->slots.mask)
		return false;
	WRITE_ONCE(o->ending, true);
	/* Pairs with xchg() in resume(): who finds a wait counted sees @ending. */
	smp_mb();
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < DRAIN_SLOTS && o->drained <= waits->slots.mask; i++, o->drained++) {
		if (!READ_ONCE(waits->slots.owner[o->drained]))
			continue;
		w = &waits->wait[o->drained];
		/* Pairs with the store in leave(): the sample is whole. */
		since = smp_load_acquire(&w->since_ns);
		if (since && cmpxchg(&w->since_ns, since, 0) == since)
			count(e, w, since, now, KFLAME_CTX_STILL);
	}
	return true;
}

/*
 * Not traced: a tracer of functions may replace the return address, at which the walk begins.
 */
static notrace void switched(void *event, KF_SWITCH_ARGS)
{
	const u64 begin = kf_clock_read(), now = ktime_get_mono_fast_ns();
	struct kf_event *e = event;
	struct pt_regs regs;

	if (!is_idle_task(next))
		resume(e, next, now);
	if (!is_idle_task(prev)) {
		kf_caller_regs(&regs);
		leave(e, preempt, prev, KF_SWITCH_STATE, now, &regs);
	}
	e->sample->spent(e, begin);
}

static void woken(void *event, struct task_struct *t)
{
	struct kf_event *e = event;
	struct offcpu *o = e->data;
	struct kf_wait *w = kf_waits_find(&o->waits, t);

	if (w)
		WRITE_ONCE(w->woken_ns, ktime_get_mono_fast_ns());
}

/*
 * A task is about to be woken, by what runs now. The kernel holds pi_lock of the task, so it has one waker at
 * a time. A task that wakes itself, or that an interrupt on top of it wakes, does not wait yet, and nothing
 * is held.
 */
static notrace void waking(void *event, struct task_struct *t)
{
	struct kf_event *e = event;
	struct offcpu *o = e->data;
	struct pt_regs regs;
	struct kf_wait *w;
	u64 begin;

	if (t == current)
		return;
	lockdep_assert_irqs_disabled();
	lockdep_assert_held(&t->pi_lock);
	w = kf_waits_find(&o->waits, t);
	if (!w)
		return;
	if (READ_ONCE(o->ending)) {
		kf_kept_forget(kf_waits_waker(&o->waits, w));
		return;
	}
	begin = kf_clock_read();
	kf_caller_regs(&regs);
	e->sample->keep_waker(e, &regs, kf_tracepoint_iterator(o->points.waking), &o->waits.chunks,
			      kf_waits_waker(&o->waits, w));
	e->sample->spent(e, begin);
}

/* First the wake-ups: so there is no wait whose end is not seen. Return: 0 or a negative errno */
static int register_probes(struct kf_event *e, const struct points *p)
{
	int err = 0;

	if (e->flags & KFLAME_EF_WAKERS)
		err = tracepoint_probe_register(p->waking, waking, e);
	if (err)
		return err;
	err = tracepoint_probe_register(p->wakeup, woken, e);
	if (err)
		goto unregister_waking;
	err = tracepoint_probe_register(p->swtch, switched, e);
	if (err)
		goto unregister_wakeup;
	return 0;

unregister_wakeup:
	tracepoint_probe_unregister(p->wakeup, woken, e);
unregister_waking:
	if (e->flags & KFLAME_EF_WAKERS)
		tracepoint_probe_unregister(p->waking, waking, e);
	tracepoint_synchronize_unregister();
	return err;
}

static int attach(struct kf_event *e)
{
	struct offcpu *o;
	int err;

	kf_check_switch_probe(switched);
	kf_check_wakeup_probe(woken);
	kf_check_waking_probe(waking);
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		return -ENOMEM;
	o->points = find_points();
	err = -EOPNOTSUPP;
	if (!o->points.swtch || !o->points.wakeup || !o->points.waking)
		goto free;
	err = kf_waits_init(&o->waits, e->flags & KFLAME_EF_WAKERS);
	if (err)
		goto free;
	e->data = o;
	err = register_probes(e, &o->points);
	if (!err)
		return 0;
	e->data = NULL;
	kf_waits_exit(&o->waits);
free:
	kfree(o);
	return err;
}

static void detach(struct kf_event *e)
{
	struct offcpu *o = e->data;
	const struct points *p = &o->points;

	WARN_ON_ONCE(tracepoint_probe_unregister(p->swtch, switched, e));
	WARN_ON_ONCE(tracepoint_probe_unregister(p->wakeup, woken, e));
	if (e->flags & KFLAME_EF_WAKERS)
		WARN_ON_ONCE(tracepoint_probe_unregister(p->waking, waking, e));
	tracepoint_synchronize_unregister();
	e->data = NULL;
	kf_waits_exit(&o->waits);
	kfree(o);
}

#endif

const struct kf_source kf_source_offcpu = {
	.name = "off-cpu",
	.kind = KFLAME_EVENT_OFFCPU,
	.unit = KFLAME_UNIT_NS,
	.flags = KFLAME_EF_WAKERS,
	.measures = true,
#ifdef KF_TRACEPOINTS
	.is_supported = is_supported,
	.attach = attach,
	.drain = drain,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
#else
	.is_supported = kf_source_is_missing,
#endif
};
