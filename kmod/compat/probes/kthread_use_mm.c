// SPDX-License-Identifier: GPL-2.0-only
/* kthread_use_mm(): since 5.8, f5678e7f2ac3; use_mm() before */
#include <linux/kthread.h>

void feature(struct mm_struct *mm);
void feature(struct mm_struct *mm)
{
	kthread_use_mm(mm);
}
