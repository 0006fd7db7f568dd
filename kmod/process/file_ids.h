/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_ids.h - ids of mapped files, and the records that describe them
 *
 * A file is identified by device, inode, generation, size and time of change. Ids live in a cache of
 * fixed size. A file that falls out of it gets another id and another record later.
 *
 * Context: may sleep. A lock of this file serialises the session's work and a reader that asks for an
 * id.
 */
#ifndef KF_FILE_IDS_H
#define KF_FILE_IDS_H

#include <linux/types.h>

#include "process/mapping_walk.h"

struct file;

u64 kf_file_id(struct kf_files *files, struct file *file, struct kf_records *out,
	       struct kf_walk *walk);
/* Most ids that kf_files_ids() finds */
#define KF_FILES_IDS	4097U

size_t kf_files_ids(struct kf_files *files, u64 *ids, size_t room);
u64 kf_vdso_id(struct kf_files *files, struct kf_records *out, struct kf_walk *walk);

#endif
