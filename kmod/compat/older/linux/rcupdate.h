/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/rcupdate.h>

#include "compat/features.h"

/* Since 5.5 (a63fc6b75cca "rcu: Upgrade rcu_swap_protected() to rcu_replace_pointer()") */
#ifndef KF_HAVE_RCU_REPLACE_POINTER
#define rcu_replace_pointer(rcu_ptr, ptr, c)						\
({											\
	typeof(ptr) __kf_old = rcu_dereference_protected((rcu_ptr), (c));		\
											\
	rcu_assign_pointer((rcu_ptr), (ptr));						\
	__kf_old;									\
})
#endif
