/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/string.h>

#include "compat/features.h"

#ifndef KF_OLDER_STRING_H
#define KF_OLDER_STRING_H

/* Since 5.2 ("lib/string: Add strscpy_pad() function") */
#ifndef KF_HAVE_STRSCPY_PAD
#define strscpy_pad(to, from, size)						\
({										\
	ssize_t __kf_length = strscpy(to, from, size);				\
										\
	if (__kf_length >= 0)							\
		memset((to) + __kf_length, 0, (size) - __kf_length);		\
	__kf_length;								\
})
#endif

/* Since 5.0 ("string.h: Add str_has_prefix() helper function") */
#ifndef KF_HAVE_STR_HAS_PREFIX
#define str_has_prefix(text, prefix)						\
	(strncmp(text, prefix, strlen(prefix)) ? 0 : strlen(prefix))
#endif

#endif
