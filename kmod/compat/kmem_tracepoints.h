/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_tracepoints.h - where the tracepoints of allocations have the number of bytes
 *
 * KF_KMALLOC_BYTES is the index of the argument with the bytes that kmalloc() was asked for. The next
 * argument has those that it took. The second argument is always the memory. The same holds for
 * kmalloc_node, kmem_cache_alloc and kmem_cache_alloc_node, except with KF_CACHE_ARGUMENT.
 *
 * With KF_CACHE_ARGUMENT, kmem_cache_alloc has the cache as its third argument, and no bytes. Then there
 * are no tracepoints for nodes. That is so since 6.1 (11e9734bcb6a, 2c1d697fb8ba).
 *
 * On a kernel with other types neither is defined.
 */
#ifndef KF_KMEM_TRACEPOINTS_H
#define KF_KMEM_TRACEPOINTS_H

#include "compat/features.h"

/* 5.19 and 6.0 have the cache before the bytes (b347aa7b5747). */
#if defined(KF_HAVE_KMALLOC_TRACED_CACHE)
#define KF_KMALLOC_BYTES	3
#elif defined(KF_HAVE_KMALLOC_TRACED) || defined(KF_HAVE_KMALLOC_TRACED_NODE)
#define KF_KMALLOC_BYTES	2
#endif

#ifdef KF_HAVE_KMEM_CACHE_TRACED
#define KF_CACHE_ARGUMENT
#endif

#endif
