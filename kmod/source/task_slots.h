/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_slots.h - memory that belongs to tasks until they end
 *
 * Each slot (source/slots.h) has an item of the source's. A task that ends releases its slot.
 *
 * Context: in the task, interrupts off, no NMI. Only the task itself uses its item.
 */
#ifndef KF_TASK_SLOTS_H
#define KF_TASK_SLOTS_H

#include <linux/types.h>

#include "source/slots.h"

/**
 * struct kf_task_slots - the slots of an event
 * @slots:	whose they are
 * @items:	by slot; NULL before kf_task_slots_init()
 * @size:	bytes of an item
 * @bytes:	reserved of the module's memory
 *
 * Ownership: the source's. Zero is a valid value, without memory.
 */
struct kf_task_slots {
	struct kf_slots slots;
	void *items;
	size_t size;
	size_t bytes;
};

bool kf_task_slots_is_supported(void);
int kf_task_slots_init(struct kf_task_slots *t, size_t size, u32 most, u32 fewest);
void kf_task_slots_exit(struct kf_task_slots *t);
void *kf_task_slots_find(const struct kf_task_slots *t);
void *kf_task_slots_claim(struct kf_task_slots *t);
void kf_task_slots_release(struct kf_task_slots *t, const void *item);

#endif
