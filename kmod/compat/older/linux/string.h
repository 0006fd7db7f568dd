/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/string.h>

#include "compat/features.h"

#ifndef KF_OLDER_STRING_H
#define KF_OLDER_STRING_H

/* Since 5.2 ("lib/string: Add strscpy_pad() function") */
#ifndef KF_HAVE_STRSCPY_PAD
static inline ssize_t strscpy_pad(char *to, const char *from, size_t size)
{
	const ssize_t length = strscpy(to, from, size);

	if (length >= 0)
		memset(to + length, 0, size - length);
	return length;
}
#endif

/* Since 5.0 ("string.h: Add str_has_prefix() helper function") */
#ifndef KF_HAVE_STR_HAS_PREFIX
static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	const size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? 0 : length;
}
#endif

#endif
