// SPDX-License-Identifier: GPL-2.0-only
/* A request has its disk, and its queue may have none: before 5.17, f3fa33acca9f */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>

void *feature(const struct request *request);
void *feature(const struct request *request)
{
	return request->rq_disk;
}
