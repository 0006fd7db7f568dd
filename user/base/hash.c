// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash.c - find items of an array by their hash
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MIN_SLOTS	64u

uint64_t hash_u64(uint64_t seed, uint64_t value)
{
	uint64_t x = (seed ^ value) * 0x9e3779b97f4a7c15ull;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ull;
	return x ^ (x >> 32);
}

static uint64_t load(const unsigned char *at, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, at, len);
	return word;
}

/* Load the last bytes, fewer than 8.  A load of constant size is one instruction, so loads may overlap. */
static uint64_t load_rest(const unsigned char *at, size_t left, size_t len)
{
	if (len >= 8)
		return load(at + left - 8, 8);
	if (left >= 4)
		return load(at, 4) | load(at + left - 4, 4) << 32;
	return at[0] | (uint64_t)at[left / 2] << 8 | (uint64_t)at[left - 1] << 16;
}

/* Names are hashed more often than they are used in any other way: so one multiplication a word must do */
static uint64_t hash_word(uint64_t seed, uint64_t word)
{
	seed = (seed ^ word) * 0x9e3779b97f4a7c15ull;
	return seed ^ (seed >> 32);
}

uint64_t hash_bytes(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *at = data;
	size_t left = len;

	for (; left >= 8; at += 8, left -= 8)
		seed = hash_word(seed, load(at, 8));
	if (left)
		seed = hash_word(seed, load_rest(at, left, len));
	return hash_u64(seed, len);
}

uint32_t index_find(const struct index *x, uint64_t hash,
		    bool (*same)(const void *ctx, uint32_t i, const void *key),
		    const void *ctx, const void *key)
{
	uint32_t h = (uint32_t)hash;

	if (!x->slots)
		return INDEX_NONE;
	for (uint32_t i = h & x->mask;; i = (i + 1) & x->mask) {
		const struct index_slot *s = &x->slots[i];

		if (s->item == INDEX_NONE)
			return INDEX_NONE;
		if (s->hash == h && same(ctx, s->item, key))
			return s->item;
	}
}

static void place(struct index *x, uint32_t hash, uint32_t item)
{
	uint32_t i = hash & x->mask;

	while (x->slots[i].item != INDEX_NONE)
		i = (i + 1) & x->mask;
	x->slots[i].hash = hash;
	x->slots[i].item = item;
}

static int widen(struct index *x)
{
	uint64_t slots = x->slots ? 2ull * (x->mask + 1ull) : MIN_SLOTS;
	struct index bigger = { .used = x->used };

	if (slots > UINT32_MAX)
		return -ENOMEM;
	bigger.slots = malloc(slots * sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	memset(bigger.slots, 0xff, slots * sizeof(*bigger.slots));
	bigger.mask = (uint32_t)(slots - 1);
	if (x->slots)
		for (uint32_t i = 0; i <= x->mask; i++)
			if (x->slots[i].item != INDEX_NONE)
				place(&bigger, x->slots[i].hash, x->slots[i].item);
	free(x->slots);
	*x = bigger;
	return 0;
}

int index_add(struct index *x, uint64_t hash, uint32_t item)
{
	/* Keep the table at most two thirds full: a search always ends at a free slot */
	if (!x->slots || x->used >= x->mask / 3 * 2) {
		int err = widen(x);

		if (err)
			return err;
	}
	place(x, (uint32_t)hash, item);
	x->used++;
	return 0;
}

void index_replace(struct index *x, uint64_t hash, uint32_t item, uint32_t by)
{
	uint32_t i = (uint32_t)hash & x->mask;

	while (x->slots[i].item != item)
		i = (i + 1) & x->mask;
	x->slots[i].item = by;
}

void index_exit(struct index *x)
{
	free(x->slots);
	memset(x, 0, sizeof(*x));
}

static bool same_id(const void *ctx, uint32_t i, const void *key)
{
	const struct idmap *m = ctx;

	return m->all[i].id == *(const uint64_t *)key;
}

uint32_t idmap_find(const struct idmap *m, uint64_t id)
{
	uint32_t i = index_find(&m->index, hash_u64(0, id), same_id, m, &id);

	return i == INDEX_NONE ? INDEX_NONE : m->all[i].value;
}

int idmap_set(struct idmap *m, uint64_t id, uint32_t value)
{
	uint32_t i = index_find(&m->index, hash_u64(0, id), same_id, m, &id);
	size_t cap = m->cap;
	int err;

	if (i != INDEX_NONE) {
		m->all[i].value = value;
		return 0;
	}
	err = grow(&m->all, m->nr, &cap, sizeof(*m->all));
	if (err)
		return err;
	m->cap = (uint32_t)cap;
	err = index_add(&m->index, hash_u64(0, id), m->nr);
	if (err)
		return err;
	m->all[m->nr].id = id;
	m->all[m->nr++].value = value;
	return 0;
}

void idmap_exit(struct idmap *m)
{
	index_exit(&m->index);
	free(m->all);
	memset(m, 0, sizeof(*m));
}

int grow_full(void *array, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 16;
	void *old, *new;

	/* Item indices are uint32_t everywhere, and the highest value means "none" */
	if (*cap >= UINT32_MAX / 2)
		return -ENOMEM;
	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, more, size);
	if (!new)
		return -ENOMEM;
	memcpy(array, &new, sizeof(new));
	*cap = more;
	return 0;
}

uint32_t idmap_item(struct idmap *m, uint64_t id, void *array, size_t *nr, size_t *cap, size_t size)
{
	uint32_t i = idmap_find(m, id);
	char *items;

	if (i != INDEX_NONE)
		return i;
	if (grow(array, *nr, cap, size) || idmap_set(m, id, (uint32_t)*nr))
		return INDEX_NONE;
	memcpy(&items, array, sizeof(items));
	memset(items + *nr * size, 0, size);
	return (uint32_t)(*nr)++;
}

size_t sort_once(void *array, size_t nr, size_t size,
		 int (*order)(const void *a, const void *b))
{
	char *all = array;
	size_t to = 0;

	if (!nr)
		return 0;
	qsort(array, nr, size, order);
	for (size_t i = 0; i < nr; i++) {
		if (to && !order(all + (to - 1) * size, all + i * size))
			continue;
		if (to != i)
			memcpy(all + to * size, all + i * size, size);
		to++;
	}
	return to;
}
