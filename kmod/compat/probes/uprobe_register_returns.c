// SPDX-License-Identifier: GPL-2.0-only
/* uprobe_register() returns a struct uprobe: since 6.12, 3c83a9ad0295 */
#include <linux/fs.h>
#include <linux/uprobes.h>

struct uprobe *feature(struct inode *inode, struct uprobe_consumer *consumer);
struct uprobe *feature(struct inode *inode, struct uprobe_consumer *consumer)
{
	return uprobe_register(inode, 0, 0, consumer);
}
