/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscall_label.h - the file that a system call is about, as a label
 */
#ifndef KF_SYSCALL_LABEL_H
#define KF_SYSCALL_LABEL_H

#include <linux/types.h>

struct kf_labels;
struct pt_regs;

u32 kf_syscall_label(struct kf_labels *labels, struct pt_regs *regs, long nr);

#endif
