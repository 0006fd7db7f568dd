/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * renames.h - was something renamed meanwhile?
 *
 * The kernel's own readers wait for a rename to end. Here nobody waits, because the rename may be what was
 * interrupted. The inner seqcount has no lock behind it that PREEMPT_RT would take.
 */
#ifndef KF_RENAMES_H
#define KF_RENAMES_H

#include <linux/dcache.h>
#include <linux/seqlock.h>

#include "compat/features.h"

/* Nested since 5.10 (8117ab508f9c "seqlock: seqcount_LOCKNAME_t: Introduce PREEMPT_RT support") */
#ifdef KF_HAVE_SEQLOCK_SEQCOUNT
#define kf_rename_seqcount	rename_lock.seqcount.seqcount
#else
#define kf_rename_seqcount	rename_lock.seqcount
#endif

/* A kernel with CONFIG_TRIM_UNUSED_KSYMS may not export rename_lock. Then renames are not noticed. */
static inline unsigned int kf_renames_begin(void)
{
#ifdef KF_HAVE_EXPORT_RENAME_LOCK
	return raw_seqcount_begin(&kf_rename_seqcount);
#else
	return 0;
#endif
}

/* Return: whether something was renamed since kf_renames_begin() returned @seq, or was being renamed then */
static inline bool kf_renames_since(unsigned int seq)
{
#ifdef KF_HAVE_EXPORT_RENAME_LOCK
	return read_seqcount_retry(&kf_rename_seqcount, seq);
#else
	return false;
#endif
}

#endif
