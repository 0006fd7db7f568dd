/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/capability.h>

/*
 * Since 5.8 (980737282232 "capabilities: Introduce CAP_PERFMON to kernel and user space"), split off
 * from CAP_SYS_ADMIN. An older kernel crashes in capable() for a number that it does not know.
 */
#ifndef CAP_PERFMON
#define CAP_PERFMON	CAP_SYS_ADMIN
#endif
