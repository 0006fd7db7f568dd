/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_ids.h - numbers of mapped files, and records that tell who they are
 *
 * A file is known by device, inode, generation, size and time of modification. Which
 * number it has is kept in a cache of fixed size; what falls out of it gets
 * another number the next time, and another record, and nothing is wrong.
 *
 * Context: may sleep; one after the other, by a lock of their own: the session's work, and a
 * reader that asks for a number.
 */
#ifndef KF_FILE_IDS_H
#define KF_FILE_IDS_H

#include <linux/types.h>

#include "process/mapping_walk.h"

struct file;

u64 kf_file_id(struct kf_files *files, struct file *file, struct kf_records *out,
	       struct kf_walk *walk);
u64 kf_vdso_id(struct kf_files *files, struct kf_records *out, struct kf_walk *walk);

#endif
