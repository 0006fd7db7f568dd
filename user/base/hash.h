/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - find items of an array by their hash
 *
 * The index is a hash table with open addressing, and its slots hold array indices.  The caller owns the
 * array and may move it.  Array items need no links.
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

/** struct index - a hash table; all zero is an empty one */
struct index {
	struct index_slot *slots;
	uint32_t mask;
	uint32_t used;
};

/**
 * index_find() - look an item up
 * @hash:	of the key
 * @same:	returns whether item @i has the key @key
 *
 * Return: the index of the item; INDEX_NONE if there is no such item.
 */
uint32_t index_find(const struct index *x, uint64_t hash,
		    bool (*same)(const void *ctx, uint32_t i, const void *key),
		    const void *ctx, const void *key);

/** index_prefetch() - prefetch the slot that index_find() reads first */
static inline void index_prefetch(const struct index *x, uint64_t hash)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)hash & x->mask]);
}

/** index_peek() - Return: what index_find() will probably return; INDEX_NONE if only a search can tell */
static inline uint32_t index_peek(const struct index *x, uint64_t hash)
{
	const struct index_slot *s = x->slots ? &x->slots[(uint32_t)hash & x->mask] : NULL;

	return s && s->hash == (uint32_t)hash ? s->item : INDEX_NONE;
}

/**
 * index_add() - add an item that index_find() did not find
 *
 * Return: 0 or -ENOMEM.
 */
int index_add(struct index *x, uint64_t hash, uint32_t item);

/** index_replace() - replace an item of the table by another item that has the same hash */
void index_replace(struct index *x, uint64_t hash, uint32_t item, uint32_t by);

/** index_exit() - free the index and make it empty */
void index_exit(struct index *x);

/** hash_bytes() - Return: a 64-bit hash of @len bytes, starting from @seed */
uint64_t hash_bytes(uint64_t seed, const void *data, size_t len);

/** hash_u64() - Return: a 64-bit hash of one number, starting from @seed */
uint64_t hash_u64(uint64_t seed, uint64_t value);

/**
 * struct idmap - maps 64-bit ids to 32-bit values; all zero is an empty map
 */
struct idmap {
	struct index index;
	struct idmap_entry {
		uint64_t id;
		uint32_t value;
	} *all;
	uint32_t nr, cap;
};

/** idmap_find() - Return: the value of @id; INDEX_NONE if it has none */
uint32_t idmap_find(const struct idmap *m, uint64_t id);

/** idmap_set() - set or change the value of @id.  Return: 0 or -ENOMEM. */
int idmap_set(struct idmap *m, uint64_t id, uint32_t value);

/** idmap_exit() - free the map and make it empty */
void idmap_exit(struct idmap *m);

/** grow_full() - the slow path of grow(): the array is full */
int grow_full(void *array, size_t *cap, size_t size);

/**
 * grow() - make room for one more item at the end of an array
 * @array:	address of the pointer to the array
 * @nr:		items in the array
 * @cap:	items that the array has room for
 * @size:	bytes of an item
 *
 * Return: 0 or -ENOMEM.  After -ENOMEM the array is unchanged.
 */
static inline int grow(void *array, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap ? 0 : grow_full(array, cap, size);
}

/**
 * idmap_item() - find the item of an id in an array, or append one of zeros
 * @m:		has the index of each id
 * @array, @nr, @cap, @size: as for grow()
 *
 * Return: the index; INDEX_NONE if memory is short.
 */
uint32_t idmap_item(struct idmap *m, uint64_t id, void *array, size_t *nr, size_t *cap, size_t size);

/**
 * sort_once() - sort an array and remove duplicates
 * @order:	as for qsort(3); items that compare as 0 are duplicates
 *
 * Return: how many items are left.
 */
size_t sort_once(void *array, size_t nr, size_t size,
		 int (*order)(const void *a, const void *b));

#endif
