// SPDX-License-Identifier: GPL-2.0-only
/* access_ok() asks for reading or writing: until 4.20, 96d4f267e40f; vendors differ */
#include <linux/uaccess.h>

int probe(const void __user *from);
int probe(const void __user *from)
{
	return access_ok(VERIFY_READ, from, 8);
}
