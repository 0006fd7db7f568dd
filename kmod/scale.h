/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scale.h - what grows with the number of CPUs
 *
 * Each is what a machine of 64 CPUs needs, or more for each possible CPU where there are more. The tool's
 * doctor works out the same (user/doctor_memory.c).
 */
#ifndef KF_SCALE_H
#define KF_SCALE_H

#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

/* Address spaces that wait for their walk; a power of two. On each CPU some may begin at once. */
static inline u32 kf_scale_jobs(void)
{
	return roundup_pow_of_two(max(256U, 4 * num_possible_cpus()));
}

/* Mappings that are kept, a power of two: as many as 2,000 processes with 32 of them have, on 64 CPUs */
static inline u32 kf_scale_umaps(void)
{
	return roundup_pow_of_two(max(1U << 16, 1024 * num_possible_cpus()));
}

/* Most memory that all sessions together may take, bytes, if there is eight times that */
static inline u64 kf_scale_cap(void)
{
	return max_t(u64, SZ_1G, (u64)SZ_4M * num_possible_cpus());
}

#endif
