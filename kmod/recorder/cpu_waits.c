// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu_waits.c - a trigger: a task waits for a CPU for too long, see recorder/cpu_waits.h
 */
#include <linux/bug.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "compat/compat.h"
#include "compat/sched_tracepoints.h"
#include "recorder/cpu_waits.h"
#include "recorder/recorder.h"

#ifdef KF_TRACEPOINTS

/* Tasks that may wait at once. */
#define MOST_SLOTS	8192U
#define FEWEST_SLOTS	1024U

/* Waits that have not ended are looked at so often, by their limit. */
#define LOOKS_A_LIMIT	4U
#define SHORTEST_TICK	(10 * NSEC_PER_MSEC)

static void fire(struct kf_cpu_waits *w, u64 waited_ns)
{
	struct kf_recorder *r = container_of(w, struct kf_recorder, triggers.cpu_waits);

	kf_recorder_trip(r, KFLAME_FREEZE_RUNQ, waited_ns);
}

static bool is_on_cpu(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	return READ_ONCE(t->on_cpu);
#else
	return t == current;
#endif
}

/* A thread that injects idle time is an idle task meanwhile, may be preempted, and may be woken then. */
static void begin(struct kf_cpu_waits *w, const struct task_struct *t)
{
	u32 slot;

	if (t->policy == SCHED_IDLE || is_idle_task(t))
		return;
	slot = kf_slots_claim(&w->slots, t);
	/* A task that was preempted may be woken. It waits since it was preempted. */
	if (slot != KF_NO_SLOT && !w->since_ns[slot])
		WRITE_ONCE(w->since_ns[slot], ktime_get_mono_fast_ns());
}

static void end(struct kf_cpu_waits *w, const struct task_struct *t)
{
	const u32 slot = kf_slots_find(&w->slots, t);
	u64 since, now;

	if (slot == KF_NO_SLOT)
		return;
	since = w->since_ns[slot];
	/* Before the slot is another task's. */
	WRITE_ONCE(w->since_ns[slot], 0);
	kf_slots_release(&w->slots, slot);
	now = ktime_get_mono_fast_ns();
	/* The clocks of two CPUs may differ a little. */
	if (now > since && now - since > w->limit_ns)
		fire(w, now - since);
}

/* The task that is switched out waits for a CPU if it has not blocked: as context_of() in offcpu.c */
static void switched(void *waits, KF_SWITCH_ARGS)
{
	struct kf_cpu_waits *w = waits;

	lockdep_assert_irqs_disabled();
	if (preempt || kf_task_state(prev) == TASK_RUNNING)
		begin(w, prev);
	if (!is_idle_task(next))
		end(w, next);
}

/* Some tasks are woken while they still run: they do not wait, and nobody holds the lock of the run queue. */
static void woken(void *waits, struct task_struct *t)
{
	if (!is_on_cpu(t))
		begin(waits, t);
}

/* Runs in hard interrupt context. */
static enum hrtimer_restart look(struct hrtimer *timer)
{
	struct kf_cpu_waits *w = container_of(timer, struct kf_cpu_waits, timer);
	const u64 now = ktime_get_mono_fast_ns();
	u64 since, longest = 0;
	u32 i;

	for (i = 0; i <= w->slots.mask; i++) {
		since = READ_ONCE(w->since_ns[i]);
		if (since && now > since)
			longest = max(longest, now - since);
	}
	if (longest > w->limit_ns)
		fire(w, longest);
	hrtimer_set_expires(timer, ktime_add_ns(hrtimer_cb_get_time(timer), w->tick_ns));
	return HRTIMER_RESTART;
}

static size_t slots_bytes(u32 nr)
{
	return nr * sizeof(u64) + kf_slots_bytes(nr);
}

static void free_slots(struct kf_cpu_waits *w)
{
	kf_slots_exit(&w->slots);
	kvfree(w->since_ns);
	w->since_ns = NULL;
	kf_memory_release(w->bytes);
	w->bytes = 0;
}

static int make_slots(struct kf_cpu_waits *w)
{
	u32 nr = MOST_SLOTS;

	while (nr > FEWEST_SLOTS && slots_bytes(nr) > kf_memory_cap() / 64)
		nr /= 2;
	if (!kf_memory_reserve(slots_bytes(nr)))
		return -ENOMEM;
	w->bytes = slots_bytes(nr);
	w->since_ns = kvcalloc(nr, sizeof(*w->since_ns), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (w->since_ns && !kf_slots_init(&w->slots, nr))
		return 0;
	free_slots(w);
	return -ENOMEM;
}

static int hook(struct kf_cpu_waits *w, struct tracepoint **hooked, const char *name, void *probe)
{
	struct tracepoint *point = kf_find_tracepoint(name);
	int err = point ? tracepoint_probe_register(point, probe, w) : -EOPNOTSUPP;

	if (!err)
		*hooked = point;
	return err;
}

static void unhook(struct kf_cpu_waits *w, struct tracepoint **hooked, void *probe)
{
	if (*hooked)
		WARN_ON_ONCE(tracepoint_probe_unregister(*hooked, probe, w));
	*hooked = NULL;
}

/* First where waits end: so no slot is claimed by a wait whose end is not seen. */
static int hook_all(struct kf_cpu_waits *w)
{
	int err;

	kf_check_switch_probe(switched);
	kf_check_wakeup_probe(woken);
	err = hook(w, &w->swtch, "sched_switch", switched);
	if (!err)
		err = hook(w, &w->wakeup, "sched_wakeup", woken);
	if (!err)
		err = hook(w, &w->wakeup_new, "sched_wakeup_new", woken);
	return err;
}

/**
 * kf_cpu_waits_register() - begin to watch; may sleep
 * @w:		of a struct kf_recorder; zero
 * @limit_ns:	longest wait that does not fire
 *
 * Return: 0; -EOPNOTSUPP if this kernel does not show its switches; -ENOMEM; or another error. Then nothing
 * is left.
 */
int kf_cpu_waits_register(struct kf_cpu_waits *w, u64 limit_ns)
{
	int err = make_slots(w);

	if (err)
		return err;
	w->limit_ns = limit_ns;
	w->tick_ns = clamp_t(u64, limit_ns / LOOKS_A_LIMIT, SHORTEST_TICK, NSEC_PER_SEC);
	err = hook_all(w);
	if (err) {
		kf_cpu_waits_unregister(w);
		return err;
	}
	hrtimer_setup(&w->timer, look, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	w->is_timed = true;
	hrtimer_start(&w->timer, ns_to_ktime(w->tick_ns), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

/* Undo kf_cpu_waits_register(); may sleep. When it returns, nothing fires. */
void kf_cpu_waits_unregister(struct kf_cpu_waits *w)
{
	if (w->is_timed)
		hrtimer_cancel(&w->timer);
	unhook(w, &w->wakeup_new, woken);
	unhook(w, &w->wakeup, woken);
	unhook(w, &w->swtch, switched);
	tracepoint_synchronize_unregister();
	free_slots(w);
	*w = (struct kf_cpu_waits){};
}

#else

int kf_cpu_waits_register(struct kf_cpu_waits *w, u64 limit_ns)
{
	return -EOPNOTSUPP;
}

void kf_cpu_waits_unregister(struct kf_cpu_waits *w)
{
}

#endif
