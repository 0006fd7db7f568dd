// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_label.c - what a page fault is about, as a label
 *
 * The kernel may attempt a fault twice: the first attempt starts to read the page, and unlocks the mapping.
 * Only the second one is counted, and it is a major fault. So the numbers are those of getrusage(2).
 */
#include <linux/mm.h>
#include <linux/ptrace.h>

#include "source/fault_label.h"
#include "source/file_label.h"
#include "source/labelled.h"
#include "store/labels.h"

/* Names are those of /proc/PID/maps; memory without a name there is [anon]. */
static const char *name_of(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_start < READ_ONCE(mm->brk) && vma->vm_end > READ_ONCE(mm->start_brk))
		return "[heap]";
	if (vma->vm_start <= READ_ONCE(mm->start_stack) && vma->vm_end >= READ_ONCE(mm->start_stack))
		return "[stack]";
	return "[anon]";
}

/**
 * kf_mapping_label() - the label of a mapping: its file, or what it is instead
 * @labels:	the session's
 * @vma:	address of a struct vm_area_struct, which is locked
 *
 * Context: interrupts off, no NMI.
 * Return: as kf_labels_intern().
 */
u32 kf_mapping_label(struct kf_labels *labels, unsigned long vma)
{
	const struct vm_area_struct *v = (const void *)vma;

	if (v->vm_file)
		return kf_file_label(labels, (unsigned long)v->vm_file);
	return kf_text_label(labels, name_of(v));
}

/* @regs: of the call of KF_FAULT_FUNCTION. Otherwise as kf_mapping_label() */
u32 kf_fault_called(struct kf_labels *labels, struct pt_regs *regs)
{
	const u32 label = kf_mapping_label(labels, regs_get_kernel_argument(regs, 0));
	const unsigned int flags = regs_get_kernel_argument(regs, 2);

	return flags & FAULT_FLAG_TRIED ? kf_labels_mark(labels, label, KFLAME_LABEL_MAJOR) : label;
}

/* @value: what KF_FAULT_FUNCTION returned */
u32 kf_fault_returned(struct kf_labels *labels, u32 label, unsigned long value)
{
	if (value & (__force unsigned int)VM_FAULT_MAJOR)
		return kf_labels_mark(labels, label, KFLAME_LABEL_MAJOR);
	return label;
}

/* Does getrusage() count a fault? @value: as above. See mm_account_fault() in mm/memory.c */
bool kf_fault_counts(unsigned long value)
{
	return !(value & (__force unsigned int)(VM_FAULT_ERROR | VM_FAULT_RETRY));
}
