// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - an event source: code passes a tracepoint, and then another one that belongs to it
 *
 * The sample is of the first tracepoint, and is counted at the second one, wherever that is: in an
 * interrupt, say, or on another CPU. In between, a span keeps the sample (source/spans.h). A span is about
 * the request, if both tracepoints are about requests of block devices. It is about the memory, if both are
 * about kernel memory. All other spans are about the current task.
 *
 * Several tracepoints may begin a span: SYS:FIRST|LATER..END. They are stages on one way: a request begins
 * where it is first seen, and goes on at a later stage. Kernels differ in which of them they have and pass.
 *
 * A task that has ended frees its span. So does a request that is merged into another one.
 *
 * KFLAME_EF_OUTSTANDING: a span that ends is not counted. Spans that have not ended at STOP are counted then.
 *
 * Context: any. Of hits in an NMI no sample can be taken. For the arguments of tracepoints, see
 * source/tracepoint.c.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/clock.h"
#include "base/storing.h"
#include "source/call_weight.h"
#include "source/caller_regs.h"
#include "source/fields.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/pair_points.h"
#include "source/source.h"
#include "source/spans.h"

#ifdef KF_UNTYPED_PROBES

/* Spans that one call of drain() looks at */
#define DRAIN_SPANS	64U

struct pair;

/**
 * struct point - a tracepoint that is being watched
 * @is:		which one
 * @pair:	whose it is
 * @probe:	what is registered; NULL: nothing
 */
struct point {
	const struct kf_pair_point *is;
	struct pair *pair;
	void *probe;
};

/**
 * struct pair - what the source keeps of an event: its kf_event.data
 * @points:	its tracepoints
 * @begin:	those that begin a span, registered
 * @end:	the one that ends it
 * @gone:	the one at which a span ends uncounted
 * @e:		the event
 * @missed:	hits in NMIs that drain() has not accounted for
 * @spans:	what has begun
 * @ending:	the session stops: nothing begins any more
 * @drained:	slots that drain() has looked at; only drain() uses it
 *
 * Ownership: from attach() to detach(). Probes use it on all CPUs at once.
 */
struct pair {
	struct kf_pair_points points;
	struct point begin[KF_MOST_STAGES], end, gone;
	struct kf_event *e;
	atomic_t missed;
	struct kf_spans spans;
	bool ending;
	u32 drained;
};

/* What a hit is about. Return: NULL for an allocation that failed, and for kfree(NULL) */
static const void *owner_of(const struct point *p, const unsigned long *args)
{
	if (p->pair->points.object == KF_OBJECT_NONE)
		return current;
	return (const void *)args[p->is->argument - 1];
}

/* What the span weighs, as far as it is known where it begins */
static u64 bytes_of(const struct point *p, const unsigned long *args)
{
	return p->is->bytes && p->pair->points.object == KF_OBJECT_MEMORY ? p->is->bytes->read(args) : 0;
}

static u32 label_of(struct kf_event *e, const void *request)
{
	const char *disk = e->labels ? kf_request_disk(request) : NULL;

	return disk ? kf_text_label(e->labels, disk) : 0;
}

static __always_inline void keep(const struct point *p, const unsigned long *args, struct pt_regs *regs)
{
	const void *owner = owner_of(p, args);
	struct kf_spans *spans = &p->pair->spans;
	struct kf_event *e = p->pair->e;
	struct kf_span *span;
	bool full;

	if (!owner || READ_ONCE(p->pair->ending))
		return;
	if (!e->sample->wants(e)) {
		kf_spans_drop(spans, owner, p->is->stage);
		return;
	}
	span = kf_spans_begin(spans, owner, p->is->stage, &full);
	if (full)
		e->sample->missed(e, KFLAME_LOST_WAITS, 1, 0);
	if (!span)
		return;
	span->weight = bytes_of(p, args);
	e->sample->keep(e, regs, kf_tracepoint_iterator(p->is->point.tp), label_of(e, owner), &spans->chunks,
			&span->kept);
	/* Pairs with the loads in kf_spans_begin() and kf_spans_end(). */
	smp_store_release(&span->since_ns, ktime_get_mono_fast_ns());
}

/* Not traced: a tracer of functions may replace the return address, at which the walk begins. */
static notrace void begun(void *data, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			  unsigned long e)
{
	const unsigned long args[KF_PROBE_ARGS] = { a, b, c, d, e };
	const struct point *p = data;
	struct pt_regs regs;
	unsigned long flags;
	u64 begin;

	if (in_nmi()) {
		atomic_inc(&p->pair->missed);
		return;
	}
	local_irq_save(flags);
	/* The sample path may be what passes the tracepoint, with a lock that keep() takes. */
	if (__this_cpu_read(kf_storing)) {
		p->pair->e->sample->missed(p->pair->e, KFLAME_LOST_NESTED, 1,
					   kf_lost_weight(p->pair->e));
		goto out;
	}
	begin = kf_clock_read();
	kf_caller_regs(&regs);
	keep(p, args, &regs);
	p->pair->e->sample->spent(p->pair->e, begin);
out:
	local_irq_restore(flags);
}

/* @owner: what the span is about */
static u64 weight_of(const struct pair *p, const struct kf_span *span, const void *owner, u64 since, u64 now)
{
	switch (p->e->weight) {
	case KFLAME_WEIGHT_LATENCY:
		return kf_weight_of_latency(since, now);
	case KFLAME_WEIGHT_VALUE:
		return p->points.object == KF_OBJECT_MEMORY ? span->weight : kf_request_bytes(owner);
	default:
		return 1;
	}
}

static void count(struct pair *p, struct kf_span *span, const void *owner, u64 since, u64 now)
{
	const u64 weight = weight_of(p, span, owner, since, now);
	struct kf_event *e = p->e;

	e->sample->count(e, &p->spans.chunks, &span->kept, NULL, KFLAME_CTX_TASK, now, weight,
			 kf_weight_is_wanted(e, weight) ? -1 : KFLAME_LOST_LENGTH);
	kf_spans_free(&p->spans, span);
}

static void end(struct pair *p, const void *owner, u64 now)
{
	struct kf_span *span;
	u64 since;

	if (p->e->flags & KFLAME_EF_OUTSTANDING) {
		kf_spans_drop(&p->spans, owner, 0);
		return;
	}
	span = kf_spans_end(&p->spans, owner, &since);
	if (span)
		count(p, span, owner, since, now);
}

/* A part of a request is done: what is left of it is more than what is done now. */
static bool is_partial(const struct pair *p, const void *request, unsigned long bytes)
{
	return p->points.by_complete && kf_request_bytes(request) > (u32)bytes;
}

static void ended(void *data, unsigned long first, unsigned long second, unsigned long third)
{
	const unsigned long args[] = { first, second, third };
	const u64 now = ktime_get_mono_fast_ns();
	const struct point *p = data;
	const void *owner = owner_of(p, args);
	unsigned long flags;
	u64 begin;

	if (in_nmi()) {
		atomic_inc(&p->pair->missed);
		return;
	}
	if (!owner || is_partial(p->pair, owner, third))
		return;
	local_irq_save(flags);
	/* See begun(). What ends then has begun in the sample path, so it is not kept. */
	if (!__this_cpu_read(kf_storing)) {
		begin = kf_clock_read();
		end(p->pair, owner, now);
		p->pair->e->sample->spent(p->pair->e, begin);
	}
	local_irq_restore(flags);
}

/* sched_process_free has the task as its first argument. */
static void gone(void *data, const void *first, const void *second)
{
	const struct point *p = data;
	unsigned long flags;

	local_irq_save(flags);
	kf_spans_drop(&p->pair->spans, p->is->argument == 2 ? second : first, 0);
	local_irq_restore(flags);
}

static void watch(struct pair *p)
{
	u32 i;

	for (i = 0; i < KF_MOST_STAGES; i++)
		p->begin[i] = (struct point){ .is = &p->points.begin[i], .pair = p };
	p->end = (struct point){ .is = &p->points.end, .pair = p };
	p->gone = (struct point){ .is = &p->points.gone, .pair = p };
}

/* NULL is allowed. No probe is registered any more. */
static void free_pair(struct pair *p)
{
	if (!p)
		return;
	kf_pair_points_put(&p->points);
	kfree(p);
}

static struct pair *new_pair(struct kf_event *e, const char *name, int *err)
{
	struct pair *p = kzalloc(sizeof(*p), GFP_KERNEL);

	*err = p ? kf_pair_points_find(&p->points, name) : -ENOMEM;
	if (!*err) {
		p->e = e;
		watch(p);
		return p;
	}
	free_pair(p);
	return NULL;
}

static int check(const char *name)
{
	int err;

	free_pair(new_pair(NULL, name, &err));
	return err;
}

/* The label is the request's device. */
static bool is_labelled(const char *name)
{
	struct pair *p;
	bool is;
	int err;

	p = new_pair(NULL, name, &err);
	is = p && p->points.object == KF_OBJECT_REQUEST;
	free_pair(p);
	return is;
}

static int register_point(struct point *p, void *probe)
{
	struct tracepoint *tp = p->is->point.tp;
	int err = tp ? tracepoint_probe_register(tp, probe, p) : 0;

	p->probe = tp && !err ? probe : NULL;
	return err;
}

static void unregister_point(struct point *p)
{
	if (p->probe)
		WARN_ON_ONCE(tracepoint_probe_unregister(p->is->point.tp, p->probe, p));
	p->probe = NULL;
}

static void unregister(struct pair *p)
{
	u32 i;

	for (i = 0; i < KF_MOST_STAGES; i++)
		unregister_point(&p->begin[i]);
	unregister_point(&p->end);
	unregister_point(&p->gone);
	tracepoint_synchronize_unregister();
}

/* First the ends: so no span is kept whose end is not seen. Return: 0 or a negative errno */
static int register_probes(struct pair *p)
{
	int err;
	u32 i;

	err = register_point(&p->gone, gone);
	if (!err)
		err = register_point(&p->end, ended);
	for (i = 0; !err && i < KF_MOST_STAGES; i++)
		err = register_point(&p->begin[i], begun);
	if (err)
		unregister(p);
	return err;
}

static int attach(struct kf_event *e)
{
	struct pair *p;
	int err;

	p = new_pair(e, kf_event_own_name(e), &err);
	if (!p)
		return err;
	err = -EINVAL;
	if (e->weight == KFLAME_WEIGHT_VALUE && !kf_pair_has_bytes(&p->points))
		goto free;
	err = kf_spans_init(&p->spans, e->flags & KFLAME_EF_OUTSTANDING);
	if (err)
		goto free;
	e->data = p;
	err = register_probes(p);
	if (!err)
		return 0;
	e->data = NULL;
	kf_spans_exit(&p->spans);
free:
	free_pair(p);
	return err;
}

static void count_outstanding(struct pair *p, u32 slot, u64 now)
{
	const void *owner;
	struct kf_span *span;
	u64 since;

	span = kf_spans_take(&p->spans, slot, &owner, &since);
	if (span)
		count(p, span, owner, since, now);
}

/* A span that begins on another CPU meanwhile may be missed: it has begun at STOP. */
static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct pair *p = e->data;
	u64 now;
	u32 i;

	kf_named_drain(e, part, &p->missed);
	if (!part->armed || !(e->flags & KFLAME_EF_OUTSTANDING) || p->drained > p->spans.slots.mask)
		return false;
	WRITE_ONCE(p->ending, true);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < DRAIN_SPANS && p->drained <= p->spans.slots.mask; i++)
		count_outstanding(p, p->drained++, now);
	return true;
}

static void detach(struct kf_event *e)
{
	struct pair *p = e->data;

	unregister(p);
	e->data = NULL;
	kf_spans_exit(&p->spans);
	free_pair(p);
}

#endif

const struct kf_source kf_source_pair = {
	.name = "tracepoint",
	.kind = KFLAME_EVENT_PAIR,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_LATENCY | 1U << KFLAME_WEIGHT_VALUE,
	.value_unit = KFLAME_UNIT_BYTES,
#ifdef KF_UNTYPED_PROBES
	.is_labelled = is_labelled,
	.flags = KFLAME_EF_OUTSTANDING,
	.check = check,
	.attach = attach,
	.drain = drain,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
#else
	.is_supported = kf_source_is_missing,
#endif
};
