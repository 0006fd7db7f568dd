/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * on_cpu.h - run code on a CPU that may be offline
 */
#ifndef KF_ON_CPU_H
#define KF_ON_CPU_H

#include <linux/smp.h>

void kf_on_cpu(unsigned int cpu, smp_call_func_t fn, void *arg);

#endif
