// SPDX-License-Identifier: GPL-2.0-only
/* In 6.12.118, the macro uses BUILD_BUG_ON_ZERO(), whose header <linux/string.h> does not include */
#include <linux/build_bug.h>
#include <linux/string.h>

ssize_t probe(char *to, const char *from);
ssize_t probe(char *to, const char *from)
{
	return strscpy_pad(to, from, 8);
}
