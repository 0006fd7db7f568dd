// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cgroup.h>

u64 probe(struct cgroup *cgrp);
u64 probe(struct cgroup *cgrp)
{
	return cgroup_id(cgrp);
}
