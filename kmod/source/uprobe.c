// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe.c - an event source: any process reaches an instruction of a file
 *
 * The kernel puts a breakpoint into each process that maps the file. A process that reaches the breakpoint
 * runs hit() on its way back to user mode: in its own context, with interrupts on, and with the registers of
 * user mode. So a hit is never nested in a sample, nor in an NMI. The sample has no kernel stack. Its user
 * stack begins at the probed instruction.
 *
 * The kernel checks the instruction in the first process that maps it. If no process maps it at START, the
 * kernel cannot refuse the probe any more: it has no hits then. The tool maps it during CONFIGURE.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/slab.h>

#include "source/source.h"
#include "source/uprobe.h"

#ifdef KF_UPROBES

/**
 * struct probe - what the source keeps of an event: its kf_event.data
 * @uprobe:	the kernel's. kf_event.file pins its inode
 * @e:		the event; NULL while it is only checked
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct probe {
	struct kf_uprobe uprobe;
	struct kf_event *e;
};

static void hit(struct kf_uprobe *u, struct pt_regs *regs)
{
	struct probe *p = container_of(u, struct probe, uprobe);
	unsigned long flags;
	u64 weight;

	if (!p->e)
		return;
	local_irq_save(flags);
	weight = kf_weigh_user_call(p->e, regs);
	if (weight)
		p->e->sample->take(p->e, regs, 0, 0, weight, 0);
	local_irq_restore(flags);
}

/* Register a probe. Return: it, for free_probe(); an ERR_PTR() */
static struct probe *new_probe(struct kf_event *e, struct file *file, u64 offset)
{
	struct probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->e = e;
	p->uprobe.hit = hit;
	err = kf_uprobe_register_in(&p->uprobe, file, offset);
	if (!err)
		return p;
	kfree(p);
	return ERR_PTR(err);
}

static void free_probe(struct probe *p)
{
	kf_uprobe_unregister(&p->uprobe);
	kfree(p);
}

/* ENOTSUPP and ENOEXEC: the kernel does not know the instruction, or cannot step over it. */
int kf_uprobe_check(struct file *file, u64 offset)
{
	struct probe *p;

	/* The kernel accepts the offset of the file's end. */
	if (offset >= i_size_read(file_inode(file)))
		return -ERANGE;
	p = new_probe(NULL, file, offset);
	if (p == ERR_PTR(-ENOTSUPP) || p == ERR_PTR(-ENOEXEC))
		return -EILSEQ;
	if (IS_ERR(p))
		return PTR_ERR(p);
	free_probe(p);
	return 0;
}

static int attach(struct kf_event *e)
{
	struct probe *p = new_probe(e, e->file, e->offset);

	if (IS_ERR(p))
		return PTR_ERR(p);
	e->data = p;
	return 0;
}

static void detach(struct kf_event *e)
{
	free_probe(e->data);
	e->data = NULL;
}

#endif

const struct kf_source kf_source_uprobe = {
	.name = "uprobe",
	.kind = KFLAME_EVENT_UPROBE,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_OPERAND,
	.args = KFLAME_MAX_ARG,
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
