/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - the waits of tasks: since when, for what, and with which stack
 *
 * Each sampled task gets a slot at its first wait, and keeps it until the task ends: see source/slots.h. If
 * there is no slot left for the task, the wait is lost.
 *
 * Context: interrupts off. The CPU on which the task is switched out writes the slot, and then the CPU
 * on which it is switched in. The scheduler orders these two. A waker writes only @woken_ns and the
 * waker's sample. The scheduler orders these writes before the switch in. They may come while the task
 * is still being switched out, which writes other fields.
 */
#ifndef KF_WAITS_H
#define KF_WAITS_H

#include <linux/types.h>

#include "source/slots.h"
#include "store/kept.h"

struct task_struct;

/**
 * struct kf_wait - a slot
 * @since_ns:	when its task was switched out, CLOCK_MONOTONIC; 0: it does not wait, or the slot is
 *		free
 * @woken_ns:	when it became runnable; before @since_ns: not yet
 * @context:	KFLAME_CTX_*: what it waits for
 * @kept:	its sample
 */
struct kf_wait {
	u64 since_ns;
	u64 woken_ns;
	u32 context;
	struct kf_kept kept;
};

/**
 * struct kf_waits - all slots of an event
 * @slots:	whose they are
 * @wait:	what they keep
 * @waker:	by slot, a sample of the last waker of its task; NULL without KFLAME_EF_WAKERS
 * @chunks:	for their samples
 * @bytes:	reserved of the module's memory
 */
struct kf_waits {
	struct kf_slots slots;
	struct kf_wait *wait;
	struct kf_kept *waker;
	struct kf_chunks chunks;
	size_t bytes;
};

int kf_waits_init(struct kf_waits *w, bool wakers);
void kf_waits_exit(struct kf_waits *w);
struct kf_wait *kf_waits_find(const struct kf_waits *w, const struct task_struct *t);
struct kf_wait *kf_waits_claim(struct kf_waits *w, const struct task_struct *t);
void kf_waits_release(struct kf_waits *w, const struct task_struct *t);

/* The sample of the last waker of a slot's task; NULL without KFLAME_EF_WAKERS */
static inline struct kf_kept *kf_waits_waker(const struct kf_waits *w, const struct kf_wait *wait)
{
	return w->waker ? &w->waker[wait - w->wait] : NULL;
}

#endif
