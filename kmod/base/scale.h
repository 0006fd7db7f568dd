/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scale.h - sizes that grow with the number of CPUs
 *
 * Machines with up to 64 possible CPUs (256 for the memory) have the first size. On larger machines
 * the size grows with each CPU. The tool's doctor repeats these sizes
 * (user/doctor/doctor_memory.c).
 */
#ifndef KF_SCALE_H
#define KF_SCALE_H

#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

/* How many address spaces may wait for their walk at the same time; a power of two */
static inline u32 kf_scale_jobs(void)
{
	return roundup_pow_of_two(max(256U, 4 * num_possible_cpus()));
}

/* How many mappings are kept; a power of two. On 64 CPUs: 2,000 processes with 32 mappings each. */
static inline u32 kf_scale_umaps(void)
{
	return roundup_pow_of_two(max(1U << 16, 1024 * num_possible_cpus()));
}

/*
 * The most bytes that all sessions together may take, on a machine with at least eight times as
 * much
 */
static inline u64 kf_scale_cap(void)
{
	return max_t(u64, SZ_1G, (u64)SZ_4M * num_possible_cpus());
}

#endif
