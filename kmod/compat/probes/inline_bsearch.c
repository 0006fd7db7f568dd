// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bsearch.h>

static int compare(const void *a, const void *b)
{
	return a < b;
}

const void *probe(const void *key, const void *base);
const void *probe(const void *key, const void *base)
{
	return __inline_bsearch(key, base, 4, 4, compare);
}
