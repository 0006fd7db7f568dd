// SPDX-License-Identifier: GPL-2.0-only
/*
 * uretprobe.c - an event source: a function of a program or a library has returned, in any process
 *
 * The kernel replaces the return address on the stack by that of a trampoline, which calls returned() and
 * then goes on to the caller. So the stack is walked from the caller, and the function becomes its innermost
 * frame. Callers that have such a probe themselves are found by ustack/return_probes.h.
 *
 * As of source/uprobe.c, a return is never nested in a sample, nor in an NMI. The sample is taken at the
 * return. For KFLAME_WEIGHT_LATENCY, source/nested_calls.h keeps from the call when it began.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "source/call_weight.h"
#include "source/nested_calls.h"
#include "source/source.h"
#include "source/task_slots.h"
#include "source/uprobe.h"

#ifdef KF_UPROBES

#define MOST_TASKS	4096U
#define FEWEST_TASKS	256U

/**
 * struct ret_probe - what the source keeps of an event: its kf_event.data
 * @uprobe:	the kernel's. kf_event.file pins its inode
 * @e:		the event
 * @calls:	a struct kf_nested_calls for each task; without memory unless the event weighs latencies
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct ret_probe {
	struct kf_uprobe uprobe;
	struct kf_event *e;
	struct kf_task_slots calls;
};

/* With interrupts off. A filter must not count what other processes call. */
static void begin(struct ret_probe *p, struct pt_regs *regs)
{
	struct kf_nested_calls *calls;

	if (!p->e->sample->wants(p->e))
		return;
	calls = kf_task_slots_claim(&p->calls);
	if (!calls || !kf_nested_begin(calls, user_stack_pointer(regs), ktime_get_mono_fast_ns()))
		p->e->sample->missed(p->e, KFLAME_LOST_WAITS, 1, 0);
}

static void called(struct kf_uprobe *u, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	begin(container_of(u, struct ret_probe, uprobe), regs);
	local_irq_restore(flags);
}

/* @began_ns: when the call began, for KFLAME_WEIGHT_LATENCY. Return: 0 if the return is not to be counted */
static u64 weight_of(const struct kf_event *e, struct pt_regs *regs, u64 began_ns)
{
	switch (e->weight) {
	case KFLAME_WEIGHT_LATENCY:
		return kf_weight_of_latency(began_ns, ktime_get_mono_fast_ns());
	case KFLAME_WEIGHT_VALUE:
		return kf_weight_of_value(regs_return_value(regs));
	default:
		return 1;
	}
}

/* The stack pointer when the function that has returned to @regs was called */
static unsigned long called_at(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return user_stack_pointer(regs) - (user_64bit_mode(regs) ? 8 : 4);
#else
	return user_stack_pointer(regs);
#endif
}

/*
 * A filter must not count what other processes return. A latency is not counted if the begin is not known:
 * begin() found no room, and has counted it, or a child of fork() returns from a call of its parent.
 */
static void take(struct ret_probe *p, struct pt_regs *regs, unsigned long function)
{
	struct kf_nested_calls *calls;
	struct kf_event *e = p->e;
	u64 began = 0, weight;

	if (e->weight == KFLAME_WEIGHT_LATENCY) {
		calls = kf_task_slots_find(&p->calls);
		began = calls ? kf_nested_end(calls, called_at(regs)) : 0;
		if (!began)
			return;
	}
	if (!e->sample->wants(e))
		return;
	weight = weight_of(e, regs, began);
	if (kf_weight_is_wanted(e, weight))
		e->sample->take_user_return(e, regs, function, weight);
	else
		e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
}

static void returned(struct kf_uprobe *u, unsigned long function, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	take(container_of(u, struct ret_probe, uprobe), regs, function);
	local_irq_restore(flags);
}

static int attach(struct kf_event *e)
{
	struct ret_probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return -ENOMEM;
	p->e = e;
	p->uprobe.returned = returned;
	if (e->weight == KFLAME_WEIGHT_LATENCY) {
		p->uprobe.hit = called;
		err = kf_task_slots_init(&p->calls, sizeof(struct kf_nested_calls), MOST_TASKS, FEWEST_TASKS);
		if (err)
			goto free;
	}
	e->data = p;
	err = kf_uprobe_register_in(&p->uprobe, e->file, e->offset);
	if (!err)
		return 0;
	e->data = NULL;
	kf_task_slots_exit(&p->calls);
free:
	kfree(p);
	return err;
}

static void detach(struct kf_event *e)
{
	struct ret_probe *p = e->data;

	kf_uprobe_unregister(&p->uprobe);
	e->data = NULL;
	kf_task_slots_exit(&p->calls);
	kfree(p);
}

#endif

const struct kf_source kf_source_uretprobe = {
	.name = "uretprobe",
	.kind = KFLAME_EVENT_URETPROBE,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_LATENCY | 1U << KFLAME_WEIGHT_VALUE,
#ifdef KF_UPROBES
	.check_file = kf_uprobe_check,
	.attach = attach,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
#else
	.is_supported = kf_source_is_missing,
#endif
};
