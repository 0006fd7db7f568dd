// SPDX-License-Identifier: GPL-2.0-only
/* arm64, where the third one is an error, not a label: since then it has unsafe_get_user() */
#include <linux/uaccess.h>

int probe(unsigned long *to, const unsigned long __user *from);

int probe(unsigned long *to, const unsigned long __user *from)
{
	int err = 0;

	__raw_get_user(*to, uaccess_mask_ptr(from), err);
	return err;
}
