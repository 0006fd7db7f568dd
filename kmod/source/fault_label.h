/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault_label.h - what a page fault is about: the mapping of its address
 */
#ifndef KF_FAULT_LABEL_H
#define KF_FAULT_LABEL_H

#include <linux/types.h>

struct kf_labels;
struct pt_regs;

/* Each page fault of a mapping calls it, with the mapping locked. Its arguments: vma, address, flags, regs */
#define KF_FAULT_FUNCTION	"handle_mm_fault"

u32 kf_mapping_label(struct kf_labels *labels, unsigned long vma);
u32 kf_fault_called(struct kf_labels *labels, struct pt_regs *regs);
u32 kf_fault_returned(struct kf_labels *labels, u32 label, unsigned long value);
bool kf_fault_counts(unsigned long value);

#endif
