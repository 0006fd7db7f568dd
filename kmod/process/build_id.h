/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build_id.h - the GNU build-id of a mapped file, without I/O
 */
#ifndef KF_BUILD_ID_H
#define KF_BUILD_ID_H

#include <linux/types.h>

struct file;

#define KF_BUILD_ID_SCRATCH	4096U

u32 kf_build_id(struct file *file, u8 *scratch, u8 *id);

#endif
