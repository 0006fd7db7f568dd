/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/uaccess.h>

#include "compat/features.h"

/*
 * Since 5.8 (fe557319aa06 "maccess: rename probe_kernel_{read,write} to
 * copy_{from,to}_kernel_nofault")
 */
#ifndef KF_HAVE_COPY_FROM_KERNEL_NOFAULT
#define copy_from_kernel_nofault(to, from, size)	probe_kernel_read(to, from, size)
#endif
