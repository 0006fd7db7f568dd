// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irq_work.h>

void probe(struct irq_work *work);
void probe(struct irq_work *work)
{
	atomic_set(&work->flags, IRQ_WORK_HARD_IRQ);
}
