// SPDX-License-Identifier: GPL-2.0-only
/*
 * spans.c - what has begun and not ended, see source/spans.h
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/mm.h>

#include "base/memory.h"
#include "source/spans.h"

#define MOST_SPANS	8192U
#define MANY_SPANS	32768U
#define FEWEST_SPANS	512U
#define CHUNKS_A_SPAN	4U

static size_t spans_bytes(u32 nr)
{
	return nr * sizeof(struct kf_span) + kf_slots_bytes(nr) + kf_chunks_bytes(nr * CHUNKS_A_SPAN);
}

static int make(struct kf_spans *s, u32 nr)
{
	if (!kf_memory_reserve(spans_bytes(nr)))
		return -ENOMEM;
	s->bytes = spans_bytes(nr);
	s->span = kvcalloc(nr, sizeof(*s->span), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!s->span || kf_slots_init(&s->slots, nr) || kf_chunks_init(&s->chunks, nr * CHUNKS_A_SPAN)) {
		kf_spans_exit(s);
		return -ENOMEM;
	}
	return 0;
}

/*
 * Make the slots, as many as there is memory for; may sleep. @many: spans are about objects that may live for
 * long. Return: 0 or -ENOMEM
 */
int kf_spans_init(struct kf_spans *s, bool many)
{
	u32 nr = many ? MANY_SPANS : MOST_SPANS;

	/* No more than an eighth of what all sessions may take */
	while (nr > FEWEST_SPANS && spans_bytes(nr) > kf_memory_cap() / 8)
		nr /= 2;
	for (; nr >= FEWEST_SPANS; nr /= 2)
		if (!make(s, nr))
			return 0;
	return -ENOMEM;
}

void kf_spans_exit(struct kf_spans *s)
{
	kf_chunks_exit(&s->chunks);
	kf_slots_exit(&s->slots);
	kvfree(s->span);
	kf_memory_release(s->bytes);
	*s = (struct kf_spans){};
}

/*
 * Begin the span of an object at a stage. If an earlier stage has begun it, it goes on. If this one or a
 * later one has, its end was not seen, and it begins anew.
 * @full: out: there is no room for it. Return: the span, for the caller to write, and then @since_ns; NULL
 *		for none
 */
struct kf_span *kf_spans_begin(struct kf_spans *s, const void *owner, u32 stage, bool *full)
{
	const u32 slot = kf_slots_claim(&s->slots, owner);
	struct kf_span *span;
	u64 since;

	*full = slot == KF_NO_SLOT;
	if (*full)
		return NULL;
	span = &s->span[slot];
	/* Pairs with the store of who begins a span: @stage is whole. */
	since = smp_load_acquire(&span->since_ns);
	if (since == KF_SPAN_BUSY || (since && stage > span->stage) ||
	    cmpxchg(&span->since_ns, since, KF_SPAN_BUSY) != since)
		return NULL;
	span->stage = stage;
	return span;
}

static struct kf_span *end(struct kf_span *span, u64 *since_ns)
{
	/* Pairs with the store of who begins a span: the sample is whole. */
	*since_ns = smp_load_acquire(&span->since_ns);
	if (*since_ns <= KF_SPAN_BUSY || cmpxchg(&span->since_ns, *since_ns, KF_SPAN_BUSY) != *since_ns)
		return NULL;
	return span;
}

/*
 * End the span of an object.
 * @since_ns: out: when it began. Return: the span, for kf_spans_free(); NULL if it has not begun
 */
struct kf_span *kf_spans_end(struct kf_spans *s, const void *owner, u64 *since_ns)
{
	const u32 slot = kf_slots_find(&s->slots, owner);

	return slot == KF_NO_SLOT ? NULL : end(&s->span[slot], since_ns);
}

/* End the span of a slot, whosever it is. @owner: out. As kf_spans_end() */
struct kf_span *kf_spans_take(struct kf_spans *s, u32 slot, const void **owner, u64 *since_ns)
{
	*owner = READ_ONCE(s->slots.owner[slot]);
	return *owner ? end(&s->span[slot], since_ns) : NULL;
}

/* End the span of an object uncounted, unless a stage before @stage has begun it. */
void kf_spans_drop(struct kf_spans *s, const void *owner, u32 stage)
{
	struct kf_span *span;
	u64 since;

	span = kf_spans_end(s, owner, &since);
	if (!span)
		return;
	if (span->stage >= stage)
		kf_spans_free(s, span);
	else /* Pairs with the loads in kf_spans_begin() and kf_spans_end(). */
		smp_store_release(&span->since_ns, since);
}

/* Free the slot of a span that the caller owns. Its chunks are for the next one that needs some. */
void kf_spans_free(struct kf_spans *s, struct kf_span *span)
{
	kf_kept_release(&s->chunks, &span->kept);
	WRITE_ONCE(span->since_ns, 0);
	kf_slots_release(&s->slots, span - s->span);
}
