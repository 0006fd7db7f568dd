/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/bsearch.h>

#ifndef KF_OLDER_BSEARCH_H
#define KF_OLDER_BSEARCH_H

#include "compat/features.h"

/* Since 5.8 (df65bba1dcd8 "lib/bsearch: Provide __always_inline variant") */
#ifndef KF_HAVE_INLINE_BSEARCH
static __always_inline void *__inline_bsearch(const void *key, const void *base, size_t num,
					      size_t size,
					      int (*cmp)(const void *key, const void *elt))
{
	while (num) {
		const void *pivot = base + (num >> 1) * size;
		const int result = cmp(key, pivot);

		if (!result)
			return (void *)pivot;
		if (result > 0) {
			base = pivot + size;
			num--;
		}
		num >>= 1;
	}
	return NULL;
}
#endif

#endif
