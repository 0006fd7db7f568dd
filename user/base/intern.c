// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intern.c - give equal byte strings the same small id
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

static bool same(const void *ctx, uint32_t i, const void *key)
{
	const struct intern *n = ctx;
	const struct interned *k = key;

	return n->all[i].len == k->len && !memcmp(n->all[i].bytes, k->bytes, k->len);
}

static uint32_t add(struct intern *n, uint64_t hash, const void *bytes, size_t len)
{
	char *copy;

	if (n->nr >= INDEX_NONE - 1 || grow(&n->all, n->nr, &n->cap, sizeof(*n->all)))
		return INDEX_NONE;
	copy = malloc(len + 1);
	if (!copy || index_add(&n->index, hash, (uint32_t)n->nr)) {
		free(copy);
		return INDEX_NONE;
	}
	memcpy(copy, bytes, len);
	copy[len] = 0;
	n->all[n->nr] = (struct interned){ copy, len };
	return (uint32_t)n->nr++;
}

uint32_t intern_bytes(struct intern *n, const void *bytes, size_t len, bool *added)
{
	struct interned key = { (char *)bytes, len };
	uint64_t hash = hash_bytes(0, bytes, len);
	uint32_t i = index_find(&n->index, hash, same, n, &key);

	if (added)
		*added = i == INDEX_NONE;
	return i == INDEX_NONE ? add(n, hash, bytes, len) : i;
}

void intern_exit(struct intern *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->all[i].bytes);
	free(n->all);
	index_exit(&n->index);
	*n = (struct intern){ 0 };
}
