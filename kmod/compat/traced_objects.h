/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traced_objects.h - what tracepoints are about: requests of block devices, and kernel memory
 */
#ifndef KF_TRACED_OBJECTS_H
#define KF_TRACED_OBJECTS_H

#include <linux/kernel.h>
#include <linux/string.h>
#ifdef CONFIG_BLOCK
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#endif

#include "compat/features.h"

#ifdef KF_HAVE_BLOCK_RQ_QUEUE
#define KF_QUEUED_ARGUMENT	2U
#else
#define KF_QUEUED_ARGUMENT	1U
#endif

/* Which argument of block_bio_queue the struct bio is. 5.10.y has only the change of requests. */
#ifdef KF_HAVE_BLOCK_BIO_QUEUE
#define KF_QUEUED_BIO		2U
#else
#define KF_QUEUED_BIO		1U
#endif

enum kf_object {
	KF_OBJECT_NONE,
	KF_OBJECT_REQUEST, /* struct request */
	KF_OBJECT_MEMORY, /* the address that kmalloc() returns, or a struct page */
};

/**
 * struct kf_traced_object - a tracepoint that is about an object
 * @name:	the tracepoint's, without its system
 * @object:	what kind of object
 * @argument:	which argument it is: 1 or 2
 */
struct kf_traced_object {
	const char *name;
	enum kf_object object;
	u32 argument;
};

/* Return: NULL if the tracepoint of that name is about no such object */
static inline const struct kf_traced_object *kf_traced_object(const char *name)
{
	static const struct kf_traced_object points[] = {
		{ "block_io_start", KF_OBJECT_REQUEST, 1 },
		{ "block_io_done", KF_OBJECT_REQUEST, 1 },
		{ "block_rq_complete", KF_OBJECT_REQUEST, 1 },
		{ "block_rq_error", KF_OBJECT_REQUEST, 1 },
		{ "block_rq_merge", KF_OBJECT_REQUEST, KF_QUEUED_ARGUMENT },
		{ "block_rq_insert", KF_OBJECT_REQUEST, KF_QUEUED_ARGUMENT },
		{ "block_rq_issue", KF_OBJECT_REQUEST, KF_QUEUED_ARGUMENT },
		{ "block_rq_requeue", KF_OBJECT_REQUEST, KF_QUEUED_ARGUMENT },
		{ "kmalloc", KF_OBJECT_MEMORY, 2 },
		{ "kmalloc_node", KF_OBJECT_MEMORY, 2 },
		{ "kfree", KF_OBJECT_MEMORY, 2 },
		{ "kmem_cache_alloc", KF_OBJECT_MEMORY, 2 },
		{ "kmem_cache_alloc_node", KF_OBJECT_MEMORY, 2 },
		{ "kmem_cache_free", KF_OBJECT_MEMORY, 2 },
		{ "mm_page_alloc", KF_OBJECT_MEMORY, 1 },
		{ "mm_page_free", KF_OBJECT_MEMORY, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, name))
			return &points[i];
	return NULL;
}

/* Bytes of a request that are not done yet */
static inline u64 kf_request_bytes(const void *request)
{
#ifdef CONFIG_BLOCK
	return blk_rq_bytes((struct request *)request);
#else
	return 0;
#endif
}

/* The name of a request's device. Return: NULL if it has none, as requests of tapes */
static inline const char *kf_request_disk(const void *request)
{
#ifdef CONFIG_BLOCK
	const struct request *rq = request;
#ifdef KF_HAVE_REQUEST_DISK
	const struct gendisk *disk = rq->rq_disk;
#else
	const struct gendisk *disk = rq->q->disk;
#endif

	return disk ? disk->disk_name : NULL;
#else
	return NULL;
#endif
}

#endif
