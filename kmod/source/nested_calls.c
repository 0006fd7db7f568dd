// SPDX-License-Identifier: GPL-2.0-only
/*
 * nested_calls.c - when calls began that have not returned, see source/nested_calls.h
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "base/memory.h"
#include "compat/sched_tracepoints.h"
#include "source/nested_calls.h"

#ifdef KF_TRACEPOINTS

#define MOST_TASKS	4096U
#define FEWEST_TASKS	256U

/* Calls of the function at one stack pointer, each of which was jumped to from the one before */
#define MOST_JUMPED	8U

static struct tracepoint *exit_point(void)
{
	return kf_find_tracepoint("sched_process_exit");
}

bool kf_nested_is_supported(void)
{
	return exit_point();
}

/* After this the task makes no call, and another one may get its address. */
static void died(void *nested, KF_EXIT_ARGS)
{
	struct kf_nested *n = nested;
	unsigned long flags;
	u32 slot;

	local_irq_save(flags);
	slot = kf_slots_find(&n->slots, task);
	if (slot != KF_NO_SLOT)
		kf_slots_release(&n->slots, slot);
	local_irq_restore(flags);
}

static size_t bytes_of(u32 nr)
{
	return nr * sizeof(struct kf_nested_calls) + kf_slots_bytes(nr);
}

static void free_slots(struct kf_nested *n)
{
	kf_slots_exit(&n->slots);
	kvfree(n->calls);
	kf_memory_release(n->bytes);
	*n = (struct kf_nested){};
}

static int make_slots(struct kf_nested *n, u32 nr)
{
	if (!kf_memory_reserve(bytes_of(nr)))
		return -ENOMEM;
	n->bytes = bytes_of(nr);
	n->calls = kvcalloc(nr, sizeof(*n->calls), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (n->calls && !kf_slots_init(&n->slots, nr))
		return 0;
	free_slots(n);
	return -ENOMEM;
}

/**
 * kf_nested_init() - make the slots, as many as there is memory for
 * @n:	zero
 *
 * Context: may sleep. kf_nested_is_supported() was true.
 * Return: 0; -ENOMEM; another negative errno
 */
int kf_nested_init(struct kf_nested *n)
{
	int err = -ENOMEM;
	u32 nr;

	kf_check_exit_probe(died);
	for (nr = MOST_TASKS; err && nr >= FEWEST_TASKS; nr /= 2)
		err = make_slots(n, nr);
	if (err)
		return err;
	err = tracepoint_probe_register(exit_point(), died, n);
	if (err)
		free_slots(n);
	return err;
}

/* Undo kf_nested_init(). Nothing calls the functions below any more. May sleep. */
void kf_nested_exit(struct kf_nested *n)
{
	if (!n->calls)
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(exit_point(), died, n));
	tracepoint_synchronize_unregister();
	free_slots(n);
}

/* Calls whose frames are below @sp were left by longjmp(), or by an exception. */
static u32 living(const struct kf_nested_calls *calls, unsigned long sp)
{
	u32 nr = calls->nr;

	while (nr && calls->sp[nr - 1] < sp)
		nr--;
	return nr;
}

/* How many of the innermost calls have @sp: those that were jumped to, and those that were left there */
static u32 equal(const struct kf_nested_calls *calls, unsigned long sp)
{
	u32 nr = 0;

	while (nr < calls->nr && calls->sp[calls->nr - 1 - nr] == sp)
		nr++;
	return nr;
}

/* Of calls with @sp the outermost ones are those that were left. */
static void forget_left(struct kf_nested_calls *calls, unsigned long sp)
{
	const u32 nr = equal(calls, sp);
	u64 *began = &calls->began_ns[calls->nr - nr];

	if (nr < MOST_JUMPED)
		return;
	memmove(began, began + 1, (nr - 1) * sizeof(*began));
	calls->nr--;
}

/**
 * kf_nested_begin() - current calls the function
 * @n:		the calls of all tasks
 * @sp:		its user stack pointer at the function's first instruction
 * @now_ns:	the time
 *
 * Return: false if there is no room for the task or the call
 */
bool kf_nested_begin(struct kf_nested *n, unsigned long sp, u64 now_ns)
{
	u32 slot = kf_slots_find(&n->slots, current);
	struct kf_nested_calls *calls;

	if (slot == KF_NO_SLOT) {
		slot = kf_slots_claim(&n->slots, current);
		if (slot == KF_NO_SLOT)
			return false;
		n->calls[slot].nr = 0;
	}
	calls = &n->calls[slot];
	calls->nr = living(calls, sp);
	forget_left(calls, sp);
	if (calls->nr == KF_MOST_NESTED)
		return false;
	calls->sp[calls->nr] = sp;
	calls->began_ns[calls->nr++] = now_ns;
	return true;
}

/**
 * kf_nested_end() - a call of current has returned
 * @n:	the calls of all tasks
 * @sp:	as in kf_nested_begin()
 *
 * Return: when it began; 0 if that is not known
 */
u64 kf_nested_end(struct kf_nested *n, unsigned long sp)
{
	const u32 slot = kf_slots_find(&n->slots, current);
	struct kf_nested_calls *calls;

	if (slot == KF_NO_SLOT)
		return 0;
	calls = &n->calls[slot];
	calls->nr = living(calls, sp);
	if (!calls->nr || calls->sp[calls->nr - 1] != sp)
		return 0;
	return calls->began_ns[--calls->nr];
}

#else

bool kf_nested_is_supported(void)
{
	return false;
}

int kf_nested_init(struct kf_nested *n)
{
	return -EOPNOTSUPP;
}

void kf_nested_exit(struct kf_nested *n)
{
}

bool kf_nested_begin(struct kf_nested *n, unsigned long sp, u64 now_ns)
{
	return false;
}

u64 kf_nested_end(struct kf_nested *n, unsigned long sp)
{
	return 0;
}

#endif
