// SPDX-License-Identifier: GPL-2.0-only
#include <linux/uaccess.h>

int probe(void *to, const void __user *from);
int probe(void *to, const void __user *from)
{
	return copy_struct_from_user(to, 8, from, 16);
}
