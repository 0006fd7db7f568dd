// SPDX-License-Identifier: GPL-2.0-only
/* block_bio_queue has the queue as its first argument: until 5.11, e8a676d61c07 */
#include <linux/blkdev.h>
#include <linux/tracepoint.h>
#include <trace/events/block.h>

static void probe(void *data, struct request_queue *queue, struct bio *bio)
{
}

void feature(void);
void feature(void)
{
	check_trace_callback_type_block_bio_queue(probe);
}
