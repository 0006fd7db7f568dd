// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>

ssize_t probe(char *to, const char *from);
ssize_t probe(char *to, const char *from)
{
	return strscpy_pad(to, from, 8);
}
