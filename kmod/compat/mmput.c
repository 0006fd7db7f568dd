// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmput.c - dropping an address space where mmput_async() is not exported
 *
 * Kernels before 6.0 ("IB/core: Fix a nested dead lock as part of ODP flow") and its backports lack
 * the export. Dropping the last reference tears the address space down and waits for the process's
 * I/O (exit_aio()), perhaps for ever. The session's work must not wait for that, nor must the
 * session's destruction, which waits for the work. So a work item of its own drops the last
 * reference. At unload destroy_workqueue() waits for that item.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "base/work.h"
#include "compat/compat.h"

#ifndef KF_HAVE_EXPORT_MMPUT_ASYNC
struct last_reference {
	struct work_struct work;
	struct mm_struct *mm;
};

static void let_go(struct work_struct *work)
{
	struct last_reference *last = container_of(work, struct last_reference, work);

	mmput(last->mm);
	kfree(last);
}

/* May sleep. If there is no memory for the work item, the last reference is dropped here. */
void kf_mmput(struct mm_struct *mm)
{
	struct last_reference *last;

	if (atomic_add_unless(&mm->mm_users, -1, 1))
		return;
	last = kmalloc(sizeof(*last), GFP_KERNEL | __GFP_NOWARN);
	if (!last) {
		mmput(mm);
		return;
	}
	INIT_WORK(&last->work, let_go);
	last->mm = mm;
	queue_work(kf_wq, &last->work);
}
#endif
