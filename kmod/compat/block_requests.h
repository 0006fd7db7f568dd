/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block_requests.h - the tracepoints that are about requests of block devices
 */
#ifndef KF_BLOCK_REQUESTS_H
#define KF_BLOCK_REQUESTS_H

#include <linux/kernel.h>
#include <linux/string.h>
#ifdef CONFIG_BLOCK
#include <linux/blk-mq.h>
#endif

#include "compat/features.h"

#ifdef KF_HAVE_BLOCK_RQ_QUEUE
#define KF_QUEUED_ARGUMENT	2U
#else
#define KF_QUEUED_ARGUMENT	1U
#endif

/* Which argument of a tracepoint is a request: 1 or 2; 0 if none is */
static inline u32 kf_request_argument(const char *name)
{
	static const struct {
		const char *name;
		u32 argument;
	} points[] = {
		{ "block_io_start", 1 }, { "block_io_done", 1 }, { "block_rq_complete", 1 },
		{ "block_rq_error", 1 }, { "block_rq_merge", KF_QUEUED_ARGUMENT },
		{ "block_rq_insert", KF_QUEUED_ARGUMENT }, { "block_rq_issue", KF_QUEUED_ARGUMENT },
		{ "block_rq_requeue", KF_QUEUED_ARGUMENT },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, name))
			return points[i].argument;
	return 0;
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

#endif
