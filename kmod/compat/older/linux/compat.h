/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/compat.h>

#include "compat/features.h"

#ifndef KF_OLDER_COMPAT_H
#define KF_OLDER_COMPAT_H

/* Since 5.5 ("compat_ioctl: add compat_ptr_ioctl()") */
#ifndef KF_HAVE_COMPAT_PTR_IOCTL
#ifdef CONFIG_COMPAT
#include <linux/fs.h>

static inline long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}
#else
#define compat_ptr_ioctl	NULL
#endif
#endif

#endif
