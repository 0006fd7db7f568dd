// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscall.c - an event source: a task makes a system call
 *
 * A call that only counts is sampled where it begins. Its caller's stack is still there, also of calls that
 * do not return, such as exit_group() and execve(). A call that weighs its time or its value is sampled
 * where it ends. From its begin to its end, a slot of its task keeps it (source/task_slots.h). A task makes
 * one call at a time.
 *
 * The slot, and not the registers, has the number of the call: rt_sigreturn() overwrites the registers. A
 * call whose begin was not seen has no slot. This is so for a child that returns from its parent's fork(),
 * and for calls that began before the recording. A task that ends in a call releases the slot.
 *
 * A sample has the user stack, and one frame of the kernel that stands for the call: KFLAME_SYSCALL_FRAME. No
 * kernel stack is walked, because the code of the entry is the same for all calls.
 *
 * A label is made where the call begins: later the descriptor may be of another file.
 *
 * Context: in the task, with interrupts on. Since 6.13 it may be preempted. Only the task itself uses its
 * slot.
 */
#include <linux/compat.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat/syscall_tracepoints.h"
#include "source/call_weight.h"
#include "source/source.h"
#include "source/syscall_label.h"
#include "source/task_slots.h"

#ifdef KF_SYSCALL_TRACEPOINTS

#define MOST_CALLS	32768U
#define FEWEST_CALLS	1024U

/* What a task's slot keeps of its call. @nr: its number. @label: 0 for none */
struct call {
	u64 began_ns;
	u32 nr;
	u32 label;
};

/* NULL if this kernel has no such tracepoint */
struct points {
	struct tracepoint *enter, *leave;
};

/**
 * struct calls - what the source keeps of an event: its kf_event.data
 * @points:	where its probes are registered
 * @in_call:	a struct call for each task that is in one; without memory if calls only count
 *
 * Ownership: from attach() to detach(). Probes use it on all CPUs at once.
 */
struct calls {
	struct points points;
	struct kf_task_slots in_call;
};

static struct points find_points(void)
{
	return (struct points){
		.enter = kf_find_tracepoint("sys_enter"),
		.leave = kf_find_tracepoint("sys_exit"),
	};
}

static bool is_supported(void)
{
	struct points found = find_points();

	return found.enter && found.leave && kf_task_slots_is_supported();
}

/* The name is only for the stream: kf_event.offset has the number of the call. */
static int check(const char *name)
{
	return 0;
}

static bool is_labelled(const char *name)
{
	return true;
}

static bool only_counts(const struct kf_event *e)
{
	return e->weight == KFLAME_WEIGHT_OWN;
}

/* Calls by the numbers of another ABI are left out. */
static bool is_chosen(const struct kf_event *e, long nr)
{
	if (nr < 0 || nr > KFLAME_MAX_SYSCALL || in_compat_syscall())
		return false;
	return e->offset == KFLAME_ALL_SYSCALLS || e->offset == nr;
}

static void begin(struct kf_event *e, struct pt_regs *regs, u32 nr)
{
	struct calls *c = e->data;
	struct call *call;

	if (!e->sample->wants(e))
		return;
	call = kf_task_slots_claim(&c->in_call);
	if (!call) {
		e->sample->missed(e, KFLAME_LOST_WAITS, 1, 0);
		return;
	}
	call->nr = nr;
	call->label = e->labels ? kf_syscall_label(e->labels, regs, nr) : 0;
	call->began_ns = ktime_get_mono_fast_ns();
}

/* The sample path accounts for calls that the session does not sample. They need no label. */
static void count(struct kf_event *e, struct pt_regs *regs, long nr)
{
	const u32 label = e->labels && e->sample->wants(e) ? kf_syscall_label(e->labels, regs, nr) : 0;

	e->sample->take_return(e, regs, KFLAME_SYSCALL_FRAME + nr, 1, label);
}

static void entered(void *event, struct pt_regs *regs, long nr)
{
	struct kf_event *e = event;
	unsigned long flags;

	if (!is_chosen(e, nr))
		return;
	local_irq_save(flags);
	if (only_counts(e))
		count(e, regs, nr);
	else
		begin(e, regs, nr);
	local_irq_restore(flags);
}

/* 0 if the call is not to be counted. An error is a negative value, unlike one of a function. */
static u64 weight_of(const struct kf_event *e, const struct call *call, u64 now, long value)
{
	if (e->weight == KFLAME_WEIGHT_LATENCY)
		return kf_weight_of_latency(call->began_ns, now);
	return max(value, 0L);
}

static void left(void *event, struct pt_regs *regs, long value)
{
	const u64 now = ktime_get_mono_fast_ns();
	struct kf_event *e = event;
	struct calls *c = e->data;
	const struct call *found;
	unsigned long flags;
	struct call call;
	u64 weight;

	local_irq_save(flags);
	found = kf_task_slots_find(&c->in_call);
	if (!found)
		goto out;
	call = *found;
	kf_task_slots_release(&c->in_call, found);
	weight = weight_of(e, &call, now, value);
	if (kf_weight_is_wanted(e, weight))
		e->sample->take_return(e, regs, KFLAME_SYSCALL_FRAME + call.nr, weight, call.label);
	else
		e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
out:
	local_irq_restore(flags);
}

/* First the ends: so no call is kept whose end is not seen. Return: 0 or a negative errno */
static int register_probes(struct kf_event *e, const struct points *p)
{
	int err;

	if (only_counts(e))
		return tracepoint_probe_register(p->enter, entered, e);
	err = tracepoint_probe_register(p->leave, left, e);
	if (err)
		return err;
	err = tracepoint_probe_register(p->enter, entered, e);
	if (err) {
		tracepoint_probe_unregister(p->leave, left, e);
		tracepoint_synchronize_unregister();
	}
	return err;
}

static int attach(struct kf_event *e)
{
	struct calls *c;
	int err = 0;

	kf_check_enter_probe(entered);
	kf_check_leave_probe(left);
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->points = find_points();
	if (!only_counts(e))
		err = kf_task_slots_init(&c->in_call, sizeof(struct call), MOST_CALLS, FEWEST_CALLS);
	if (err)
		goto free;
	e->data = c;
	err = register_probes(e, &c->points);
	if (!err)
		return 0;
	e->data = NULL;
	kf_task_slots_exit(&c->in_call);
free:
	kfree(c);
	return err;
}

static void detach(struct kf_event *e)
{
	struct calls *c = e->data;
	const struct points *p = &c->points;

	WARN_ON_ONCE(tracepoint_probe_unregister(p->enter, entered, e));
	if (!only_counts(e))
		WARN_ON_ONCE(tracepoint_probe_unregister(p->leave, left, e));
	tracepoint_synchronize_unregister();
	e->data = NULL;
	kf_task_slots_exit(&c->in_call);
	kfree(c);
}

#endif

const struct kf_source kf_source_syscall = {
	.name = "syscall",
	.kind = KFLAME_EVENT_SYSCALL,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_LATENCY | 1U << KFLAME_WEIGHT_VALUE,
	.most_number = KFLAME_MAX_SYSCALL,
#ifdef KF_SYSCALL_TRACEPOINTS
	.is_supported = is_supported,
	.is_labelled = is_labelled,
	.check = check,
	.attach = attach,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
#else
	.is_supported = kf_source_is_missing,
#endif
};
