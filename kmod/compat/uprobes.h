/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobes.h - the kernel's uprobes, where it has them
 *
 * KF_UPROBES is defined if a module can register uprobes. A kernel with CONFIG_TRIM_UNUSED_KSYMS may not
 * export the functions.
 */
#ifndef KF_COMPAT_UPROBES_H
#define KF_COMPAT_UPROBES_H

#include "compat/features.h"

#ifdef KF_HAVE_UPROBE_REGISTER_RETURNS
#if defined(KF_HAVE_EXPORT_UPROBE_UNREGISTER_NOSYNC) && defined(KF_HAVE_EXPORT_UPROBE_UNREGISTER_SYNC)
#define KF_UPROBE_UNREGISTER
#endif
#elif defined(KF_HAVE_EXPORT_UPROBE_UNREGISTER)
#define KF_UPROBE_UNREGISTER
#endif

#if defined(CONFIG_UPROBES) && defined(KF_HAVE_EXPORT_UPROBE_REGISTER) && defined(KF_UPROBE_UNREGISTER)
#define KF_UPROBES

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

/**
 * struct kf_uprobe - an instruction of a file, and what is called when a process reaches it, or when the
 *	function returns that begins there
 * @consumer:	the kernel's
 * @hit:	this or @returned is set before kf_uprobe_register(). @regs are those of user mode; interrupts
 *		are on
 * @returned:	the same, with the address of the function; @regs are those of its caller
 * @inode:	of the file as the kernel maps it
 * @offset:	of the instruction's first byte in the file
 * @uprobe:	the kernel's; not all kernels return it
 *
 * Ownership: the caller holds a reference to @inode, and pins its file system, until kf_uprobe_unregister().
 */
struct kf_uprobe {
	struct uprobe_consumer consumer;
	void (*hit)(struct kf_uprobe *u, struct pt_regs *regs);
	void (*returned)(struct kf_uprobe *u, unsigned long function, struct pt_regs *regs);
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
};

#ifdef KF_HAVE_UPROBE_HANDLER_DATA
static int kf_uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *unused)
#else
static int kf_uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
#endif
{
	struct kf_uprobe *u = container_of(consumer, struct kf_uprobe, consumer);

	u->hit(u, regs);
	return 0;
}

#ifdef KF_HAVE_UPROBE_HANDLER_DATA
static int kf_uprobe_returned(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs,
			      __u64 *unused)
#else
static int kf_uprobe_returned(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs)
#endif
{
	struct kf_uprobe *u = container_of(consumer, struct kf_uprobe, consumer);

	u->returned(u, function, regs);
	return 0;
}

/*
 * Put the breakpoint into all processes that map the file, now and later. May sleep; takes each of their
 * mmap locks. Return: 0 or the kernel's error, of which some have no name in user space (ENOTSUPP)
 */
static inline int kf_uprobe_register(struct kf_uprobe *u)
{
	u->consumer.handler = u->hit ? kf_uprobe_hit : NULL;
	u->consumer.ret_handler = u->returned ? kf_uprobe_returned : NULL;
#ifdef KF_HAVE_UPROBE_REGISTER_RETURNS
	u->uprobe = uprobe_register(u->inode, u->offset, 0, &u->consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
#else
	return uprobe_register(u->inode, u->offset, &u->consumer);
#endif
}

/* Undo it, and wait for handlers that run. May sleep. */
static inline void kf_uprobe_unregister(struct kf_uprobe *u)
{
#ifdef KF_HAVE_UPROBE_REGISTER_RETURNS
	uprobe_unregister_nosync(u->uprobe, &u->consumer);
	uprobe_unregister_sync();
#else
	uprobe_unregister(u->inode, u->offset, &u->consumer);
#endif
}

#endif
#endif
