/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/build_bug.h>

#include "compat/features.h"

/* Since 5.1 ("build_bug.h: add wrapper for _Static_assert") */
#ifndef KF_HAVE_STATIC_ASSERT
#define static_assert(condition)	_Static_assert(condition, #condition)
#endif
