/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recent.h - a small cache of recent items, to skip duplicates
 *
 * The stacks of a profile repeat the same few thousand addresses.  Code that collects and sorts addresses
 * skips most duplicates here: it reads one slot for each address.  The cache forgets: an item that it reports
 * as new may have been seen before.
 */
#ifndef KFLAME_BASE_RECENT_H
#define KFLAME_BASE_RECENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SEEN_BITS	13

/** struct seen_item - an item; @of distinguishes items with the same @at, and must not be UINT64_MAX */
struct seen_item {
	uint64_t at;
	uint64_t of;
};

/** seen_create() - Return: an empty cache, for free(); NULL if memory runs out */
static inline struct seen_item *seen_create(void)
{
	struct seen_item *seen = malloc(sizeof(*seen) << SEEN_BITS);

	for (size_t i = 0; seen && i < (size_t)1 << SEEN_BITS; i++)
		seen[i] = (struct seen_item){ 0, UINT64_MAX };
	return seen;
}

/** seen_before() - add an item.  Return: true only if it was seen before; false may be wrong */
static inline bool seen_before(struct seen_item *seen, uint64_t at, uint64_t of)
{
	struct seen_item *s = &seen[((at ^ of << 24) * 0x9e3779b97f4a7c15ull) >> (64 - SEEN_BITS)];

	if (s->at == at && s->of == of)
		return true;
	*s = (struct seen_item){ at, of };
	return false;
}

#endif
