// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of requests have the queue as their first argument: until 5.11, a54895fa057c */
#include <linux/blkdev.h>
#include <linux/tracepoint.h>
#include <trace/events/block.h>

static void probe(void *data, struct request_queue *queue, struct request *request)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_block_rq_issue(probe);
}
