// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>

const struct path *probe(struct file *f);
const struct path *probe(struct file *f)
{
	return file_user_path(f);
}
