/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/security.h>

#include "compat/features.h"

/* Since 5.4 ("security: Add a static lockdown policy LSM"); older kernels have no lockdown */
#ifndef KF_HAVE_SECURITY_LOCKED_DOWN
#define security_locked_down(what)	0
#endif
