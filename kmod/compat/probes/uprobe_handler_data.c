// SPDX-License-Identifier: GPL-2.0-only
/* uprobe_consumer.handler() gets data: since 6.13, da09a9e0c3ea */
#include <linux/fs.h>
#include <linux/uprobes.h>

static int handler(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data)
{
	return 0;
}

struct uprobe_consumer feature = { .handler = handler };
