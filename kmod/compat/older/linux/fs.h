/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/fs.h>

#include "compat/features.h"

/* Since 5.12 (02f92b3868a1 "fs: add file and path permissions helpers") */
#ifndef KF_HAVE_PATH_PERMISSION
#define path_permission(path, mask)	inode_permission(d_inode((path)->dentry), mask)
#endif
