// SPDX-License-Identifier: GPL-2.0-only
/*
 * task_slots.c - memory that belongs to tasks until they end, see source/task_slots.h
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "base/memory.h"
#include "compat/sched_tracepoints.h"
#include "source/task_slots.h"

#ifdef KF_TRACEPOINTS

static struct tracepoint *exit_point(void)
{
	return kf_find_tracepoint("sched_process_exit");
}

/* Does this kernel report that tasks end? */
bool kf_task_slots_is_supported(void)
{
	return exit_point();
}

/* A new task may get the address of one that has ended. */
static void died(void *slots, KF_EXIT_ARGS)
{
	struct kf_task_slots *t = slots;
	unsigned long flags;
	u32 slot;

	local_irq_save(flags);
	slot = kf_slots_find(&t->slots, task);
	if (slot != KF_NO_SLOT)
		kf_slots_release(&t->slots, slot);
	local_irq_restore(flags);
}

static void free_slots(struct kf_task_slots *t)
{
	kf_slots_exit(&t->slots);
	kvfree(t->items);
	kf_memory_release(t->bytes);
	*t = (struct kf_task_slots){};
}

static int make_slots(struct kf_task_slots *t, size_t size, u32 nr)
{
	const size_t bytes = nr * size + kf_slots_bytes(nr);

	if (!kf_memory_reserve(bytes))
		return -ENOMEM;
	t->bytes = bytes;
	t->size = size;
	t->items = kvcalloc(nr, size, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (t->items && !kf_slots_init(&t->slots, nr))
		return 0;
	free_slots(t);
	return -ENOMEM;
}

/**
 * kf_task_slots_init() - make the slots, as many as there is memory for
 * @t:		zero
 * @size:	bytes of an item
 * @most:	number of slots, a power of two
 * @fewest:	smallest number of slots, a power of two
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP if the kernel does not report that tasks end; -ENOMEM; another negative errno
 */
int kf_task_slots_init(struct kf_task_slots *t, size_t size, u32 most, u32 fewest)
{
	int err = -ENOMEM;
	u32 nr;

	kf_check_exit_probe(died);
	if (!kf_task_slots_is_supported())
		return -EOPNOTSUPP;
	for (nr = most; err && nr >= fewest; nr /= 2)
		err = make_slots(t, size, nr);
	if (err)
		return err;
	err = tracepoint_probe_register(exit_point(), died, t);
	if (err)
		free_slots(t);
	return err;
}

/* Undo kf_task_slots_init(), if it was called. Nothing uses the slots any more. May sleep. */
void kf_task_slots_exit(struct kf_task_slots *t)
{
	if (!t->items)
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(exit_point(), died, t));
	tracepoint_synchronize_unregister();
	free_slots(t);
}

/* Return: the item of current; NULL if it has none */
void *kf_task_slots_find(const struct kf_task_slots *t)
{
	const u32 slot = kf_slots_find(&t->slots, current);

	return slot == KF_NO_SLOT ? NULL : t->items + slot * t->size;
}

/* Return: the item of current, all zero if it had none; NULL if there is no slot left */
void *kf_task_slots_claim(struct kf_task_slots *t)
{
	void *item = kf_task_slots_find(t);
	u32 slot;

	if (item)
		return item;
	slot = kf_slots_claim(&t->slots, current);
	if (slot == KF_NO_SLOT)
		return NULL;
	item = t->items + slot * t->size;
	memset(item, 0, t->size);
	return item;
}

/* @item: of current */
void kf_task_slots_release(struct kf_task_slots *t, const void *item)
{
	kf_slots_release(&t->slots, (item - t->items) / t->size);
}

#else

bool kf_task_slots_is_supported(void)
{
	return false;
}

int kf_task_slots_init(struct kf_task_slots *t, size_t size, u32 most, u32 fewest)
{
	return -EOPNOTSUPP;
}

void kf_task_slots_exit(struct kf_task_slots *t)
{
}

void *kf_task_slots_find(const struct kf_task_slots *t)
{
	return NULL;
}

void *kf_task_slots_claim(struct kf_task_slots *t)
{
	return NULL;
}

void kf_task_slots_release(struct kf_task_slots *t, const void *item)
{
}

#endif
