// SPDX-License-Identifier: GPL-2.0-only
/*
 * work.c - the module's work queue, see base/work.h
 */
#include <linux/errno.h>
#include <linux/init.h>

#include "base/work.h"

struct workqueue_struct *kf_wq;

/* Return: 0 or -ENOMEM */
int __init kf_work_init(void)
{
	kf_wq = alloc_workqueue("kflame", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return kf_wq ? 0 : -ENOMEM;
}

void kf_work_exit(void)
{
	destroy_workqueue(kf_wq);
}
