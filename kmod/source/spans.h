/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spans.h - what has begun and not ended, by the task or the object that it is about
 *
 * From its begin to its end a span has a slot (source/slots.h), which keeps the sample of the begin. The two
 * may be on different CPUs.
 *
 * Context: any but NMI, interrupts off. Whoever makes @since_ns KF_SPAN_BUSY owns the span: no other CPU
 * uses it until @since_ns has another value.
 */
#ifndef KF_SPANS_H
#define KF_SPANS_H

#include <linux/types.h>

#include "source/slots.h"
#include "store/kept.h"

/* kf_span.since_ns: a CPU writes or reads it. No time is that small. */
#define KF_SPAN_BUSY	1ULL

/**
 * struct kf_span - a slot
 * @since_ns:	when it began, CLOCK_MONOTONIC; 0: it has not; KF_SPAN_BUSY
 * @weight:	what the source knows of its weight when it begins
 * @stage:	which of several points began it
 * @kept:	its sample
 */
struct kf_span {
	u64 since_ns;
	u64 weight;
	u32 stage;
	struct kf_kept kept;
};

/**
 * struct kf_spans - all slots of an event
 * @slots:	whose they are
 * @span:	what they keep
 * @chunks:	for their samples
 * @bytes:	reserved of the module's memory
 */
struct kf_spans {
	struct kf_slots slots;
	struct kf_span *span;
	struct kf_chunks chunks;
	size_t bytes;
};

int kf_spans_init(struct kf_spans *s, bool many);
void kf_spans_exit(struct kf_spans *s);
struct kf_span *kf_spans_begin(struct kf_spans *s, const void *owner, u32 stage, bool *full);
struct kf_span *kf_spans_end(struct kf_spans *s, const void *owner, u64 *since_ns);
struct kf_span *kf_spans_take(struct kf_spans *s, u32 slot, const void **owner, u64 *since_ns);
void kf_spans_drop(struct kf_spans *s, const void *owner, u32 stage);
void kf_spans_free(struct kf_spans *s, struct kf_span *span);

#endif
