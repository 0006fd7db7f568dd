// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>

#ifndef rcu_replace_pointer
#error "another name"
#endif
