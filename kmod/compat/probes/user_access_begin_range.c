// SPDX-License-Identifier: GPL-2.0-only
#include <linux/uaccess.h>

int probe(const void __user *from);
int probe(const void __user *from)
{
	if (!user_access_begin(from, 8))
		return 1;
	user_access_end();
	return 0;
}
