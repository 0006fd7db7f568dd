// SPDX-License-Identifier: GPL-2.0-only
/*
 * freeze.c - hits of events freeze the flight recorder, see sample/freeze.h
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/lockdep.h>

#include <kflame.h>
#include "sample/freeze.h"
#include "sample/watch.h"

/* The recorder's; NULL if there is none */
static struct kf_watch *attached;
/* Hits that use @attached */
static atomic_t users;

/* From now on hits fire @w. Process context; there is at most one. */
void kf_freeze_attach(struct kf_watch *w)
{
	/* Pairs with the load in kf_freeze_hit(): a hit that sees the watch sees what is in it. */
	smp_store_release(&attached, w);
}

/* Undo it; may sleep. When it returns, no hit uses the watch. */
void kf_freeze_detach(void)
{
	WRITE_ONCE(attached, NULL);
	/* Pairs with the barrier in kf_freeze_hit(): that sees NULL, or this sees its user. */
	smp_mb();
	while (atomic_read_acquire(&users))
		usleep_range(50, 200);
}

/* An event with KFLAME_EF_FREEZE was counted. Context: interrupts off, no NMI */
void kf_freeze_hit(u64 weight)
{
	struct kf_watch *w;

	lockdep_assert_irqs_disabled();
	/* Hits that come while kf_freeze_detach() waits do not prolong its wait. */
	if (!READ_ONCE(attached))
		return;
	atomic_inc(&users);
	/* Pairs with the barrier in kf_freeze_detach(). */
	smp_mb__after_atomic();
	/* Pairs with the store in kf_freeze_attach(). */
	w = smp_load_acquire(&attached);
	if (w)
		w->fire(w, KFLAME_FREEZE_PROBE, weight);
	atomic_dec_return_release(&users);
}
