// SPDX-License-Identifier: GPL-2.0-only
/*
 * slots.c - slots that belong to tasks, or to other objects, see source/slots.h
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/mm.h>

#include "source/slots.h"

/* Slots of a window: two cache lines of addresses */
#define WINDOW		16U

size_t kf_slots_bytes(u32 nr)
{
	return nr * sizeof(void *);
}

/* @nr: a power of two, a window at least; may sleep. Return: 0 or -ENOMEM */
int kf_slots_init(struct kf_slots *s, u32 nr)
{
	s->mask = nr - 1;
	s->owner = kvcalloc(nr, sizeof(*s->owner), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return s->owner ? 0 : -ENOMEM;
}

void kf_slots_exit(struct kf_slots *s)
{
	kvfree(s->owner);
	s->owner = NULL;
}

static u32 first_slot(const struct kf_slots *s, const void *owner)
{
	return hash_ptr(owner, 32) & s->mask & ~(WINDOW - 1);
}

/* The slot of an object; KF_NO_SLOT if it has none */
u32 kf_slots_find(const struct kf_slots *s, const void *owner)
{
	const u32 first = first_slot(s, owner);
	u32 i;

	for (i = first; i < first + WINDOW; i++)
		if (READ_ONCE(s->owner[i]) == owner)
			return i;
	return KF_NO_SLOT;
}

/* The same, and the object gets a slot if it has none. Return: KF_NO_SLOT if there is none left */
u32 kf_slots_claim(struct kf_slots *s, const void *owner)
{
	const u32 has = kf_slots_find(s, owner), first = first_slot(s, owner);
	u32 i;

	if (has != KF_NO_SLOT)
		return has;
	for (i = first; i < first + WINDOW; i++)
		if (!READ_ONCE(s->owner[i]) && !cmpxchg(&s->owner[i], NULL, owner))
			return i;
	return KF_NO_SLOT;
}

/* The next owner sees all that was written to the slot. */
void kf_slots_release(struct kf_slots *s, u32 slot)
{
	/* Pairs with cmpxchg() in kf_slots_claim(). */
	smp_store_release(&s->owner[slot], NULL);
}
