/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/cgroup.h>

#include "compat/features.h"

/*
 * Since 5.5 the id of a cgroup is the inode number of its directory (743210386c03 "cgroup: use
 * cgrp->kn->id as the cgroup ID"). Older kernels keep that number beside a generation.
 */
#ifndef KF_HAVE_CGROUP_ID
#define cgroup_id(cgrp)	cgroup_ino(cgrp)
#endif
