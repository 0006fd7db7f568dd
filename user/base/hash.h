/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - finds items of an array by their hash
 *
 * Open addressing over array indices: the array stays the caller's, may move,
 * and its items carry no links.
 */
#ifndef KFLAME_BASE_HASH_H
#define KFLAME_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE	UINT32_MAX

struct index_slot {
	uint32_t hash;
	uint32_t item;		/* INDEX_NONE: free */
};

/** struct index - all zero is an empty one */
struct index {
	struct index_slot *slots;
	uint32_t mask;
	uint32_t used;
};

/**
 * index_find() - looks an item up
 * @hash:	of the key
 * @same:	tells whether item @i has the key @key
 *
 * Return: the item's index, INDEX_NONE where there is none.
 */
uint32_t index_find(const struct index *x, uint64_t hash,
		    bool (*same)(const void *ctx, uint32_t i, const void *key),
		    const void *ctx, const void *key);

/** index_prefetch() - begins to load what index_find() will read first */
static inline void index_prefetch(const struct index *x, uint64_t hash)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)hash & x->mask]);
}

/** index_peek() - Return: what index_find() will probably find; INDEX_NONE if it takes a search */
static inline uint32_t index_peek(const struct index *x, uint64_t hash)
{
	const struct index_slot *s = x->slots ? &x->slots[(uint32_t)hash & x->mask] : NULL;

	return s && s->hash == (uint32_t)hash ? s->item : INDEX_NONE;
}

/**
 * index_add() - adds an item that index_find() did not find
 *
 * Return: 0 or -ENOMEM.
 */
int index_add(struct index *x, uint64_t hash, uint32_t item);

/** index_replace() - puts another item in the place of one that is there, with the same hash */
void index_replace(struct index *x, uint64_t hash, uint32_t item, uint32_t by);

/** index_exit() - frees it, and makes it empty */
void index_exit(struct index *x);

/** hash_bytes() - a 64-bit hash of @len bytes, begun with @seed */
uint64_t hash_bytes(uint64_t seed, const void *data, size_t len);

/** hash_u64() - the hash of one number */
uint64_t hash_u64(uint64_t seed, uint64_t value);

/**
 * struct idmap - numbers to small numbers; all zero is an empty one
 */
struct idmap {
	struct index index;
	struct idmap_entry {
		uint64_t id;
		uint32_t value;
	} *all;
	uint32_t nr, cap;
};

/** idmap_find() - Return: the value of @id, INDEX_NONE for none */
uint32_t idmap_find(const struct idmap *m, uint64_t id);

/** idmap_set() - sets it, or sets it anew.  Return: 0 or -ENOMEM. */
int idmap_set(struct idmap *m, uint64_t id, uint32_t value);

/** idmap_exit() - frees it, and makes it empty */
void idmap_exit(struct idmap *m);

/** grow_full() - grow() where there is no room */
int grow_full(void *array, size_t *cap, size_t size);

/**
 * grow() - makes room for one more item at the end of an array
 * @array:	address of the pointer to it
 * @nr:		items in it
 * @cap:	items there is room for
 * @size:	bytes of an item
 *
 * Return: 0 or -ENOMEM, the array being as it was.
 */
static inline int grow(void *array, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap ? 0 : grow_full(array, cap, size);
}

/**
 * sort_once() - sorts an array, and leaves each item once
 * @order:	as for qsort(3); 0: they are the same
 *
 * Return: how many are left.
 */
size_t sort_once(void *array, size_t nr, size_t size,
		 int (*order)(const void *a, const void *b));

#endif
