/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labelled.h - functions and tracepoints whose hits have labels, see KFLAME_EF_LABELS
 */
#ifndef KF_LABELLED_H
#define KF_LABELLED_H

#include <linux/types.h>

struct kf_labels;
struct pt_regs;

/**
 * struct kf_labelled - a function or a tracepoint whose hits have labels
 * @name:	of a function, or SYSTEM:NAME
 * @arg:	which argument the label comes from, from 0; of a tracepoint at most 2
 * @label:	makes the label of the argument. The caller keeps alive what it points to. Return: as
 *		kf_labels_intern(). Context: interrupts off, no NMI
 * @at_call:	of a function: makes the label for its return when it is called, because what the argument
 *		points to may be gone at the return. NULL: @label does at the return
 * @at_return:	changes that label by what the function returned; NULL if @at_call is
 */
struct kf_labelled {
	const char *name;
	unsigned int arg;
	u32 (*label)(struct kf_labels *labels, unsigned long arg);
	u32 (*at_call)(struct kf_labels *labels, struct pt_regs *regs);
	u32 (*at_return)(struct kf_labels *labels, u32 label, unsigned long value);
};

const struct kf_labelled *kf_labelled(const char *name);
bool kf_is_labelled(const char *name);
u32 kf_text_label(struct kf_labels *labels, const char *text);

static inline u32 kf_label_of(const struct kf_labelled *l, struct kf_labels *labels, unsigned long arg)
{
	return l->label(labels, arg);
}

#endif
