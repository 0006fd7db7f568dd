// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields.c - values of well-known tracepoints, by name; see source/fields.h
 *
 * An allocation that failed has no bytes. "bytes" are those that the caller asked for, because every kernel
 * reports these.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/kmem_tracepoints.h"
#include "source/fields.h"

#include <kflame.h>

#define BYTES(point, name, read)	{ point, name, KFLAME_UNIT_BYTES, read }

#ifdef KF_KMALLOC_BYTES
static u64 kmalloc_requested(const unsigned long *args)
{
	return args[1] ? args[KF_KMALLOC_BYTES] : 0;
}

static u64 kmalloc_allocated(const unsigned long *args)
{
	return args[1] ? args[KF_KMALLOC_BYTES + 1] : 0;
}
#endif

#ifdef KF_CACHE_ARGUMENT
/* Without what debugging and alignment add to an object: modules cannot know that. */
static u64 cache_object(const unsigned long *args)
{
	return args[1] ? kmem_cache_size((struct kmem_cache *)args[2]) : 0;
}
#endif

/* @args: the page, then its order */
static u64 pages(const unsigned long *args)
{
	const unsigned int order = args[1];

	return args[0] && order < BITS_PER_LONG - PAGE_SHIFT ? PAGE_SIZE << order : 0;
}

static const struct kf_field fields[] = {
#ifdef KF_KMALLOC_BYTES
	BYTES("kmalloc", "bytes", kmalloc_requested),
	BYTES("kmalloc", "bytes_req", kmalloc_requested),
	BYTES("kmalloc", "bytes_alloc", kmalloc_allocated),
#endif
#ifdef KF_CACHE_ARGUMENT
	BYTES("kmem_cache_alloc", "bytes", cache_object),
	BYTES("kmem_cache_alloc", "bytes_req", cache_object),
#elif defined(KF_KMALLOC_BYTES)
	BYTES("kmem_cache_alloc", "bytes", kmalloc_requested),
	BYTES("kmem_cache_alloc", "bytes_req", kmalloc_requested),
	BYTES("kmem_cache_alloc", "bytes_alloc", kmalloc_allocated),
	BYTES("kmalloc_node", "bytes", kmalloc_requested),
	BYTES("kmalloc_node", "bytes_req", kmalloc_requested),
	BYTES("kmalloc_node", "bytes_alloc", kmalloc_allocated),
	BYTES("kmem_cache_alloc_node", "bytes", kmalloc_requested),
	BYTES("kmem_cache_alloc_node", "bytes_req", kmalloc_requested),
	BYTES("kmem_cache_alloc_node", "bytes_alloc", kmalloc_allocated),
#endif
	BYTES("mm_page_alloc", "bytes", pages),
	BYTES("mm_page_free", "bytes", pages),
};

/* @name: SYSTEM:NAME, or NAME alone. Return: NULL if there is no such field of that tracepoint */
const struct kf_field *kf_find_field(const char *name, const char *field)
{
	const char *colon = strchr(name, ':'), *point = colon ? colon + 1 : name;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].point, point) && !strcmp(fields[i].name, field))
			return &fields[i];
	return NULL;
}
