// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>

const struct file_operations probe = { .compat_ioctl = compat_ptr_ioctl };
