// SPDX-License-Identifier: GPL-2.0-only
/*
 * waits.c - the waits of tasks, see source/waits.h
 */
#include <linux/errno.h>
#include <linux/mm.h>

#include "base/memory.h"
#include "source/waits.h"

#define MOST_SLOTS	32768U
#define FEWEST_SLOTS	1024U
#define CHUNKS_A_SLOT	2U

/* A slot has one sample, or with wakers two */
static u32 chunks_of(u32 nr, bool wakers)
{
	return nr * CHUNKS_A_SLOT * (wakers ? 2 : 1);
}

static size_t slots_bytes(u32 nr, bool wakers)
{
	return nr * (sizeof(struct kf_wait) + (wakers ? sizeof(struct kf_kept) : 0)) +
	       kf_slots_bytes(nr) + kf_chunks_bytes(chunks_of(nr, wakers));
}

static int make(struct kf_waits *w, u32 nr, bool wakers)
{
	if (!kf_memory_reserve(slots_bytes(nr, wakers)))
		return -ENOMEM;
	w->bytes = slots_bytes(nr, wakers);
	w->wait = kvcalloc(nr, sizeof(*w->wait), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	/* In a sample of zeros there is no waker: see kf_kept.lost. */
	if (wakers)
		w->waker = kvcalloc(nr, sizeof(*w->waker), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (kf_slots_init(&w->slots, nr) || !w->wait || (wakers && !w->waker) ||
	    kf_chunks_init(&w->chunks, chunks_of(nr, wakers))) {
		kf_waits_exit(w);
		return -ENOMEM;
	}
	return 0;
}

/*
 * Make the slots, as many as there is memory for; may sleep. Their memory is in addition to that of
 * kf_session_bytes(). It is not allocated under alloc_lock of session/session.c. So two sessions that
 * start together may both reserve before either allocates; but each of them takes little.
 * @wakers: also for samples of wakers. Return: 0 or -ENOMEM
 */
int kf_waits_init(struct kf_waits *w, bool wakers)
{
	u32 nr = MOST_SLOTS;

	/* No more than an eighth of what all sessions may take */
	while (nr > FEWEST_SLOTS && slots_bytes(nr, wakers) > kf_memory_cap() / 8)
		nr /= 2;
	for (; nr >= FEWEST_SLOTS; nr /= 2)
		if (!make(w, nr, wakers))
			return 0;
	return -ENOMEM;
}

void kf_waits_exit(struct kf_waits *w)
{
	kf_chunks_exit(&w->chunks);
	kvfree(w->waker);
	kvfree(w->wait);
	kf_slots_exit(&w->slots);
	kf_memory_release(w->bytes);
	*w = (struct kf_waits){};
}

static struct kf_wait *wait_of(const struct kf_waits *w, u32 slot)
{
	return slot == KF_NO_SLOT ? NULL : &w->wait[slot];
}

/* The slot of a task; NULL if it has none */
struct kf_wait *kf_waits_find(const struct kf_waits *w, const struct task_struct *t)
{
	return wait_of(w, kf_slots_find(&w->slots, t));
}

/*
 * The slot of a task that is being switched out, which only one CPU does at a time. It gets a slot if it
 * has none. Return: NULL if there is none left.
 */
struct kf_wait *kf_waits_claim(struct kf_waits *w, const struct task_struct *t)
{
	return wait_of(w, kf_slots_claim(&w->slots, t));
}

/*
 * A task is gone: it is switched out for the last time. Its @since_ns is 0, since it was running. Nobody
 * wakes it any more: its last state was written under its pi_lock, which wakers hold (set_special_state()).
 */
void kf_waits_release(struct kf_waits *w, const struct task_struct *t)
{
	struct kf_wait *has = kf_waits_find(w, t);
	struct kf_kept *waker;

	if (!has)
		return;
	kf_kept_release(&w->chunks, &has->kept);
	waker = kf_waits_waker(w, has);
	if (waker) {
		kf_kept_release(&w->chunks, waker);
		kf_kept_forget(waker);
	}
	kf_slots_release(&w->slots, has - w->wait);
}
