// SPDX-License-Identifier: GPL-2.0-only
/*
 * on_cpu.c - run code on a CPU that may be offline, see base/on_cpu.h
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/smp.h>

#include "base/on_cpu.h"

/**
 * kf_on_cpu() - run a function where a CPU's own data may be read and written
 * @cpu:	a possible CPU
 * @fn:		runs on @cpu with interrupts off; if @cpu is offline, here with interrupts off
 * @arg:	of @fn
 *
 * Nothing else uses the CPU's data meanwhile: an offline CPU takes no sample.
 *
 * Context: may sleep. The caller has cpus_read_lock(), so that the CPU neither comes online nor goes
 * offline. The assertion of that lock is not exported.
 */
void kf_on_cpu(unsigned int cpu, smp_call_func_t fn, void *arg)
{
	unsigned long flags;

	might_sleep();
	if (!smp_call_function_single(cpu, fn, arg, 1))
		return;
	/* -ENXIO: the CPU is offline. */
	local_irq_save(flags);
	fn(arg);
	local_irq_restore(flags);
}
