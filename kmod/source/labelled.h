/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labelled.h - functions whose calls have labels, see KFLAME_EF_LABELS
 */
#ifndef KF_LABELLED_H
#define KF_LABELLED_H

#include <linux/types.h>

struct kf_labels;

/**
 * struct kf_labelled - a function whose calls have labels
 * @function:	its name
 * @arg:	which argument the label comes from, from 0
 * @label:	makes the label of the argument. The caller of the function keeps alive what it points to. Return:
 *		as kf_labels_intern(). Context: interrupts off, no NMI
 */
struct kf_labelled {
	const char *function;
	unsigned int arg;
	u32 (*label)(struct kf_labels *labels, unsigned long arg);
};

const struct kf_labelled *kf_labelled(const char *function);
bool kf_is_labelled(const char *function);

static inline u32 kf_label_of(const struct kf_labelled *l, struct kf_labels *labels, unsigned long arg)
{
	return l->label(labels, arg);
}

#endif
