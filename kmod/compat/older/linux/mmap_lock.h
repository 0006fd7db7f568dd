/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 5.8 (9740ca4e95b4 "mmap locking API: initial implementation as rwsem wrappers"). On older
 * kernels the lock of an mm is mmap_sem.
 */
#include "compat/features.h"

#ifdef KF_HAVE_LINUX_MMAP_LOCK
#include_next <linux/mmap_lock.h>
#elif !defined(KF_OLDER_MMAP_LOCK_H)
#define KF_OLDER_MMAP_LOCK_H

#include <linux/mm_types.h>
#include <linux/rwsem.h>

#define mmap_lock	mmap_sem

static inline void mmap_read_lock(struct mm_struct *mm)
{
	down_read(&mm->mmap_sem);
}

static inline bool mmap_read_trylock(struct mm_struct *mm)
{
	return down_read_trylock(&mm->mmap_sem);
}

static inline void mmap_read_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_sem);
}

static inline void mmap_write_lock(struct mm_struct *mm)
{
	down_write(&mm->mmap_sem);
}

static inline void mmap_write_unlock(struct mm_struct *mm)
{
	up_write(&mm->mmap_sem);
}
#endif
