/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storing.h - no event may be sampled on this CPU: a sample is being stored, or its locks are held
 *
 * Probes may hit in any function that the sample path calls, and in any code that shares locks with it. A
 * sample there would store into tables that are half written, or wait for a lock that its own CPU holds.
 * So such an event is lost for all sessions (KFLAME_LOST_NESTED).
 */
#ifndef KF_STORING_H
#define KF_STORING_H

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * A sample of any session is being stored on this CPU, or a lock of samples is held. Most events that come
 * meanwhile are caused by that sample. Otherwise samples of many sessions could cause each other, and fill
 * the stack. Written with interrupts off.
 */
DECLARE_PER_CPU(bool, kf_storing);

/*
 * Take a lock that samples take, too. Interrupts are off. The flag is set before the lock is taken, and
 * cleared after it is released: tracepoints and probes may hit in between.
 * Return: for kf_sample_unlock()
 */
static inline bool kf_sample_lock(raw_spinlock_t *lock)
{
	const bool was = __this_cpu_read(kf_storing);

	__this_cpu_write(kf_storing, true);
	barrier();
	/*
	 * x86 enters a breakpoint, and so a kprobe, as an NMI, where lockdep accepts only attempts. This CPU
	 * does not hold the lock: if it did, the flag would have kept the sample out. So another CPU does.
	 */
	if (in_nmi())
		while (!raw_spin_trylock(lock))
			cpu_relax();
	else
		raw_spin_lock(lock);
	return was;
}

static inline void kf_sample_unlock(raw_spinlock_t *lock, bool was)
{
	raw_spin_unlock(lock);
	barrier();
	__this_cpu_write(kf_storing, was);
}

/*
 * The same for code that is no part of a sample, where interrupts may be on.
 * Return: for kf_sample_unlock_irq()
 */
static inline unsigned long kf_sample_lock_irq(raw_spinlock_t *lock)
{
	unsigned long flags;

	local_irq_save(flags);
	kf_sample_lock(lock);
	return flags;
}

static inline void kf_sample_unlock_irq(raw_spinlock_t *lock, unsigned long flags)
{
	kf_sample_unlock(lock, false);
	local_irq_restore(flags);
}

#endif
