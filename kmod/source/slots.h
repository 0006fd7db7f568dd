/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slots.h - slots that belong to tasks, or to other objects, by their addresses
 *
 * There is a fixed number of slots, in one array. The hash of an object's address chooses a window of slots,
 * one of which is the object's. If all slots of the window are taken, the object gets none. What a slot
 * keeps is in an array of the source, by the slot's index.
 *
 * Context: any, interrupts off. Several CPUs may claim at once, but for one object only one CPU at a time may
 * claim or release.
 */
#ifndef KF_SLOTS_H
#define KF_SLOTS_H

#include <linux/types.h>

#define KF_NO_SLOT	(~0U)

/**
 * struct kf_slots - the owners of all slots
 * @mask:	maps a hash to the first slot of its window
 * @owner:	whose slot it is; NULL: it is free
 */
struct kf_slots {
	u32 mask;
	const void **owner;
};

size_t kf_slots_bytes(u32 nr);
int kf_slots_init(struct kf_slots *s, u32 nr);
void kf_slots_exit(struct kf_slots *s);
u32 kf_slots_find(const struct kf_slots *s, const void *owner);
u32 kf_slots_claim(struct kf_slots *s, const void *owner);
void kf_slots_release(struct kf_slots *s, u32 slot);

#endif
