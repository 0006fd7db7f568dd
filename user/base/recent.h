/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recent.h - what was met a moment ago, so that it is not taken again
 *
 * The addresses of a profile's stacks are the same few thousands over and over.  Who collects
 * them to sort them once has most of them left out here, for a look at one slot.  It forgets:
 * what is said to be new may have been there before.
 */
#ifndef KFLAME_BASE_RECENT_H
#define KFLAME_BASE_RECENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SEEN_BITS	13

/** struct seen_item - @of tells apart what has the same @at: any number but UINT64_MAX */
struct seen_item {
	uint64_t at;
	uint64_t of;
};

/** seen_create() - Return: nothing seen yet, for free(); NULL without memory */
static inline struct seen_item *seen_create(void)
{
	struct seen_item *seen = malloc(sizeof(*seen) << SEEN_BITS);

	for (size_t i = 0; seen && i < (size_t)1 << SEEN_BITS; i++)
		seen[i] = (struct seen_item){ 0, UINT64_MAX };
	return seen;
}

/** seen_before() - Return: whether it was, for certain; the next time it is, probably */
static inline bool seen_before(struct seen_item *seen, uint64_t at, uint64_t of)
{
	struct seen_item *s = &seen[((at ^ of << 24) * 0x9e3779b97f4a7c15ull) >> (64 - SEEN_BITS)];

	if (s->at == at && s->of == of)
		return true;
	*s = (struct seen_item){ at, of };
	return false;
}

#endif
