/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_label.h - the name of an open file, as a label
 */
#ifndef KF_FILE_LABEL_H
#define KF_FILE_LABEL_H

#include <linux/types.h>

struct kf_labels;

u32 kf_file_label(struct kf_labels *labels, unsigned long file);

#endif
