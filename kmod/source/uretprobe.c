// SPDX-License-Identifier: GPL-2.0-only
/*
 * uretprobe.c - an event source: a function of a program or a library has returned, in any process
 *
 * The kernel replaces the return address on the stack by that of a trampoline, which calls returned() and
 * then goes on to the caller. So the stack is walked from the caller, and the function becomes its innermost
 * frame. Callers that have such a probe themselves are found by ustack/return_probes.h.
 *
 * As of source/uprobe.c, a return is never nested in a sample, nor in an NMI.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "source/returned_value.h"
#include "source/source.h"
#include "source/uprobe.h"

#ifdef KF_UPROBES

/**
 * struct ret_probe - what the source keeps of an event: its kf_event.data
 * @uprobe:	the kernel's. kf_event.file pins its inode
 * @e:		the event
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct ret_probe {
	struct kf_uprobe uprobe;
	struct kf_event *e;
};

/* A filter must not count what other processes return. */
static void take(struct kf_event *e, struct pt_regs *regs, unsigned long function)
{
	const u64 weight = e->weight == KFLAME_WEIGHT_VALUE ? kf_weight_of_value(regs_return_value(regs)) : 1;

	if (!e->sample->wants(e))
		return;
	if (!weight || weight < e->min || weight > e->max)
		e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
	else
		e->sample->take_user_return(e, regs, function, weight);
}

static void returned(struct kf_uprobe *u, unsigned long function, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	take(container_of(u, struct ret_probe, uprobe)->e, regs, function);
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
	e->data = p;
	err = kf_uprobe_register_in(&p->uprobe, e->file, e->offset);
	if (err) {
		e->data = NULL;
		kfree(p);
	}
	return err;
}

static void detach(struct kf_event *e)
{
	struct ret_probe *p = e->data;

	kf_uprobe_unregister(&p->uprobe);
	e->data = NULL;
	kfree(p);
}

#endif

const struct kf_source kf_source_uretprobe = {
	.name = "uretprobe",
	.kind = KFLAME_EVENT_URETPROBE,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_VALUE,
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
