/* SPDX-License-Identifier: GPL-2.0-only */
/* Since 5.14 (f39650de687e "kernel.h: split out panic and oops helpers"); before in kernel.h */
#include "compat/features.h"

#ifdef KF_HAVE_LINUX_PANIC_NOTIFIER
#include_next <linux/panic_notifier.h>
#else
#include <linux/kernel.h>
#include <linux/notifier.h>
#endif
