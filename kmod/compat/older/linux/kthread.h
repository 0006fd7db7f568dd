/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/kthread.h>

#include "compat/features.h"

/*
 * Since 5.8 (f5678e7f2ac3 "kernel: better document the use_mm/unuse_mm API contract"). A module of the tests
 * uses them.
 */
#ifndef KF_HAVE_KTHREAD_USE_MM
#include <linux/mmu_context.h>
#define kthread_use_mm(mm)	use_mm(mm)
#define kthread_unuse_mm(mm)	unuse_mm(mm)
#endif
