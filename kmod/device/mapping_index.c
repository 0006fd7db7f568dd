// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapping_index.c - which file a user address is in, see device/mapping_index.h
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "base/memory.h"
#include "device/mapping_index.h"
#include "store/records.h"

/* The record after @rec (the first one for NULL), NULL at the end. */
static const struct kflame_rec *next_rec(const struct kf_maps *m,
					 const struct kflame_rec *rec)
{
	const u8 *p = rec ? (const u8 *)rec + rec->size : m->records;

	return p < m->records + m->size ? (const void *)p : NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct kflame_rec_mapping *x = *(const struct kflame_rec_mapping **)a;
	const struct kflame_rec_mapping *y = *(const struct kflame_rec_mapping **)b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void count(struct kf_maps *m)
{
	const struct kflame_rec *rec = NULL;

	while ((rec = next_rec(m, rec))) {
		if (rec->type == KFLAME_REC_MAPPING)
			m->nr_maps++;
		else if (rec->type == KFLAME_REC_FILE)
			m->nr_files = max_t(u64, m->nr_files,
					    ((struct kflame_rec_file *)rec)->id + 1);
	}
}

static void fill_index(struct kf_maps *m)
{
	const struct kflame_rec *rec = NULL;
	u32 i = 0;

	while ((rec = next_rec(m, rec))) {
		if (rec->type == KFLAME_REC_MAPPING)
			m->map[i++] = (const void *)rec;
		else if (rec->type == KFLAME_REC_FILE)
			m->file[((struct kflame_rec_file *)rec)->id] = (const void *)rec;
	}
	sort(m->map, m->nr_maps, sizeof(*m->map), by_start, NULL);
}

static int copy_records(struct kf_maps *m, struct kf_records *records, size_t size)
{
	size_t n;

	m->records = kvmalloc(size ?: 1, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!m->records)
		return -ENOMEM;
	for (; m->size < size; m->size += n) {
		n = kf_records_copy(records, m->size, m->records + m->size,
				    size - m->size);
		if (!n)
			break;
	}
	return 0;
}

static bool take(struct kf_maps *m, size_t bytes)
{
	if (!kf_memory_reserve(bytes))
		return false;
	m->memory += bytes;
	return true;
}

/**
 * kf_maps_init() - copy records and index them; may sleep
 * @m:		zeroed
 * @records:	no reader takes records from it
 * @size:	how many bytes of them are used, whole records
 *
 * Return: 0 or -ENOMEM. The caller calls kf_maps_exit() in both cases.
 */
int kf_maps_init(struct kf_maps *m, struct kf_records *records, size_t size)
{
	if (!take(m, size) || copy_records(m, records, size))
		return -ENOMEM;
	count(m);
	/* Files are indexed by id. Ids whose records found no room leave gaps. */
	if (!take(m, sizeof(*m->map) * m->nr_maps + sizeof(*m->file) * m->nr_files))
		return -ENOMEM;
	m->map = kvcalloc(m->nr_maps + 1, sizeof(*m->map), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	m->file = kvcalloc(m->nr_files + 1, sizeof(*m->file), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!m->map || !m->file)
		return -ENOMEM;
	fill_index(m);
	return 0;
}

void kf_maps_exit(struct kf_maps *m)
{
	kvfree(m->file);
	kvfree(m->map);
	kvfree(m->records);
	kf_memory_release(m->memory);
}

/* The mapping of an address space at an address, NULL if there is none */
const struct kflame_rec_mapping *kf_maps_find(const struct kf_maps *m, u64 aspace, u64 ip)
{
	const struct kflame_rec_mapping *map;
	u32 low = 0, high = m->nr_maps, mid;

	/* Find the last mapping that begins at or before the address. */
	while (low < high) {
		mid = low + (high - low) / 2;
		map = m->map[mid];
		if (map->aspace < aspace || (map->aspace == aspace && map->start <= ip))
			low = mid + 1;
		else
			high = mid;
	}
	map = low ? m->map[low - 1] : NULL;
	return map && map->aspace == aspace && ip < map->end ? map : NULL;
}

/* Base name of a file, "?" if the file is unknown */
const char *kf_maps_file(const struct kf_maps *m, u64 id)
{
	if (id >= m->nr_files || !m->file[id])
		return "?";
	return kbasename((const char *)m->file[id]->path);
}
