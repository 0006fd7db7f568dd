// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm_types.h>

unsigned long probe(const struct mm_struct *mm);
unsigned long probe(const struct mm_struct *mm)
{
	return mm->mm_lock_seq.sequence;
}
