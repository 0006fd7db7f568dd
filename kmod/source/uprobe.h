/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe.h - what sources of uprobes share
 */
#ifndef KF_UPROBE_H
#define KF_UPROBE_H

#include <linux/dcache.h>
#include <linux/fs.h>

#include "compat/uprobes.h"

/*
 * Can an instruction of a file be probed? @offset: of its first byte. May sleep.
 * Return: 0; -ERANGE: outside of the file; -EILSEQ: the kernel does not know the instruction; another
 * negative errno
 */
int kf_uprobe_check(struct file *file, u64 offset);

#ifdef KF_UPROBES

/* Register @u, whose callbacks are set. Processes map the inode below an overlay, and not the overlay's. */
static inline int kf_uprobe_register_in(struct kf_uprobe *u, struct file *file, u64 offset)
{
	u->inode = d_real_inode(file->f_path.dentry);
	u->offset = offset;
	return kf_uprobe_register(u);
}

#endif
#endif
