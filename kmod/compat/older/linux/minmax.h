/* SPDX-License-Identifier: GPL-2.0-only */
/* Since 5.10 (b296a6d53339 "kernel.h: split out min()/max() et al. helpers"); before in kernel.h */
#include "compat/features.h"

#ifdef KF_HAVE_LINUX_MINMAX
#include_next <linux/minmax.h>
#else
#include <linux/kernel.h>
#endif
