/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - the newest kernel's meaning, on every kernel
 *
 * Only this folder probes what a kernel has; other folders at most test a KF_HAVE_*. probe.sh makes
 * features.h: it compiles the files in probes/ against the kernel. A feature is never inferred from
 * a version, because vendors backport. An #ifdef in this file asks for a macro of the kernel's
 * headers.
 */
#ifndef KF_COMPAT_H
#define KF_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "compat/features.h"

/*
 * Since 6.1 mappings are in a maple tree (524e00b36e8c "mm: remove rb tree"); older kernels link
 * them.
 */
#ifdef VMA_ITERATOR
#define KF_DEFINE_VMA_ITERATOR(name, mm, addr)	VMA_ITERATOR(name, mm, addr)
#define kf_for_each_vma(name, vma)	for_each_vma(name, vma)
#else
#define KF_DEFINE_VMA_ITERATOR(name, mm, addr)	struct vm_area_struct *name = find_vma(mm, addr)
#define kf_for_each_vma(name, vma)	for ((vma) = (name); (vma); (vma) = (vma)->vm_next)
#endif

/* Since 6.15 there is only hrtimer_setup() (9779489a31d7 "hrtimers: Delete hrtimer_init()") */
#ifndef KF_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* Since 6.1 ("kmsan: introduce __no_sanitize_memory and __no_kmsan_checks") */
#ifndef __no_kmsan_checks
#define __no_kmsan_checks
#endif

/* Since 6.6 (077c212f0344 "fs: new accessor methods for atime and mtime") */
static inline u64 kf_inode_mtime_ns(const struct inode *inode)
{
#ifdef KF_HAVE_INODE_GET_MTIME
	struct timespec64 t = inode_get_mtime(inode);
#else
	struct timespec64 t = inode->i_mtime;
#endif
	return timespec64_to_ns(&t);
}

/*
 * Drop a reference without tearing the address space down here, because the teardown may wait for
 * the process's I/O. See compat/mmput.c.
 */
#ifdef KF_HAVE_EXPORT_MMPUT_ASYNC
static inline void kf_mmput(struct mm_struct *mm)
{
	mmput_async(mm);
}
#else
void kf_mmput(struct mm_struct *mm);
#endif

/*
 * A word that changes whenever the mappings of @mm change, and at other times, too. It is always
 * zero where the kernel has no such word. x86 kernels without the first two fields use the count of
 * TLB flushes: unmapping code that was executed flushes the TLB.
 */
static inline unsigned long kf_mm_changes(const struct mm_struct *mm)
{
#if defined(KF_HAVE_MM_LOCK_SEQCOUNT)	/* 6.13, with CONFIG_PER_VMA_LOCK */
	return READ_ONCE(mm->mm_lock_seq.sequence);
#elif defined(KF_HAVE_MM_LOCK_SEQ)	/* 6.4 */
	return READ_ONCE(mm->mm_lock_seq);
#elif defined(KF_HAVE_VMACACHE)		/* until 6.0 */
	return READ_ONCE(mm->vmacache_seqnum);
#elif defined(CONFIG_X86_64)
	return atomic64_read(&mm->context.tlb_gen);
#else
	return 0;
#endif
}

/*
 * The path as the user sees it. Since 6.7 overlayfs maps the file of a layer, which has another
 * path.
 */
static inline const struct path *kf_file_path(struct file *file)
{
#ifdef KF_HAVE_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/*
 * Runs in hard interrupt context. On PREEMPT_RT other irq_work runs in a thread, which may starve.
 */
static inline void kf_init_irq_work_hard(struct irq_work *work,
					 void (*fn)(struct irq_work *))
{
#ifdef IRQ_WORK_INIT_HARD	/* 5.11 */
	*work = IRQ_WORK_INIT_HARD(fn);
#else
	init_irq_work(work, fn);
#ifdef KF_HAVE_IRQ_WORK_FLAGS	/* 5.10; before that, all irq_work runs there */
	atomic_set(&work->flags, IRQ_WORK_HARD_IRQ);
#endif
#endif
}

#ifdef CONFIG_PREEMPT_RT
static inline void kf_nop(void *unused)
{
}
#endif

/*
 * Wait until the core does not access @work any more. On PREEMPT_RT irq_work_sync() is not enough,
 * even for hard irq_work: it polls the busy flag, but irq_work_single() reads @work once more after
 * it cleared that flag. irq_work_single() has returned on a CPU that takes another interrupt, so
 * send one to each CPU. May sleep.
 */
static inline void kf_irq_work_sync(struct irq_work *work)
{
	irq_work_sync(work);
#ifdef CONFIG_PREEMPT_RT
	on_each_cpu(kf_nop, NULL, 1);
#endif
}

/*
 * arm64 has unsafe_get_user() since 6.11 ("arm64: start using 'asm goto' for get_user() when
 * available"). On older kernels it is __get_user(), which repeats access_ok() and the removal of
 * the pointer's tag for each word, at three times the cost.
 */
#ifdef KF_HAVE_RAW_GET_USER
#define kf_unsafe_get_user(x, ptr, label)					\
do {										\
	int __kf_err = 0;							\
										\
	__raw_get_user(x, uaccess_mask_ptr(ptr), __kf_err);			\
	if (unlikely(__kf_err))							\
		goto label;							\
} while (0)
#else
#define kf_unsafe_get_user(x, ptr, label)	unsafe_get_user(x, ptr, label)
#endif

/*
 * Older arm64 kernels lack this name, until 5.11 (3d2403fd10a1 "arm64: uaccess: remove set_fs()")
 */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE_64
#endif

/* Since 6.3 (1c71222e5f23 "mm: replace vma->vm_flags direct modifications with modifier calls") */
static inline void kf_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#ifdef KF_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Flags of threads that belong to user processes but run in the kernel only: io_uring's, vhost's */
#if defined(PF_USER_WORKER)	/* 6.4 */
#define KF_PF_WORKER	(PF_USER_WORKER | PF_IO_WORKER)
#elif defined(PF_IO_WORKER)
#define KF_PF_WORKER	PF_IO_WORKER
#else
#define KF_PF_WORKER	0
#endif

#endif
