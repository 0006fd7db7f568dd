// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - an event source: code passes a tracepoint, and then another one that belongs to it
 *
 * The sample is of the first tracepoint, and is counted at the second one, wherever that is: in an
 * interrupt, say, or on another CPU. From one to the other a span keeps it (source/spans.h). It is about the
 * current task. If both tracepoints are about requests of block devices, it is about the request.
 *
 * Several tracepoints may begin a span: SYS:FIRST|LATER..END. They are stages on one way: a request begins
 * where it is first seen, and goes on at a later stage. Kernels differ in which of them they have and pass.
 *
 * A task that has ended frees its span. So does a request that is merged into another one.
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
#include "compat/block_requests.h"
#include "compat/tracepoints.h"
#include "source/call_weight.h"
#include "source/caller_regs.h"
#include "source/named.h"
#include "source/source.h"
#include "source/spans.h"

#ifdef KF_UNTYPED_PROBES

#define MOST_STAGES	4

struct pair;

/**
 * struct point - a tracepoint that the pair watches
 * @tp:		the kernel's; NULL if this kernel has none
 * @pair:	whose it is
 * @stage:	of those that begin: its index
 * @argument:	which argument is a request; 0: none
 * @probe:	what is registered; NULL: nothing
 */
struct point {
	struct tracepoint *tp;
	struct pair *pair;
	u32 stage;
	u32 argument;
	void *probe;
};

/**
 * struct pair - what the source keeps of an event: its kf_event.data
 * @begin:	tracepoints that begin a span
 * @end:	the one that ends it
 * @gone:	the one at which a span ends uncounted
 * @e:		the event
 * @by_request:	spans are about requests
 * @by_complete: @end is block_rq_complete, where a request's bytes are known
 * @missed:	hits in NMIs that drain() has not accounted for
 * @spans:	what has begun
 *
 * Ownership: from attach() to detach(). Probes use it on all CPUs at once.
 */
struct pair {
	struct point begin[MOST_STAGES], end, gone;
	struct kf_event *e;
	bool by_request;
	bool by_complete;
	atomic_t missed;
	struct kf_spans spans;
};

static const void *owner_of(const struct point *p, const void *first, const void *second)
{
	if (!p->pair->by_request)
		return current;
	return p->argument == 2 ? second : first;
}

static __always_inline void keep(const struct point *p, const void *owner, struct pt_regs *regs)
{
	struct kf_spans *spans = &p->pair->spans;
	struct kf_event *e = p->pair->e;
	struct kf_span *span;
	bool full;

	if (!e->sample->wants(e)) {
		kf_spans_drop(spans, owner, p->stage);
		return;
	}
	span = kf_spans_begin(spans, owner, p->stage, &full);
	if (full)
		e->sample->missed(e, KFLAME_LOST_WAITS, 1, 0);
	if (!span)
		return;
	e->sample->keep(e, regs, (unsigned long)p->tp->iterator, &spans->chunks, &span->kept);
	/* Pairs with the loads in kf_spans_begin() and kf_spans_end(). */
	smp_store_release(&span->since_ns, ktime_get_mono_fast_ns());
}

/* Not traced: a tracer of functions may replace the return address, at which the walk begins. */
static notrace void begun(void *data, const void *first, const void *second)
{
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
	keep(p, owner_of(p, first, second), &regs);
	p->pair->e->sample->spent(p->pair->e, begin);
out:
	local_irq_restore(flags);
}

/* @owner: a request, for KFLAME_WEIGHT_VALUE */
static u64 weight_of(const struct kf_event *e, const void *owner, u64 since, u64 now)
{
	switch (e->weight) {
	case KFLAME_WEIGHT_LATENCY:
		return kf_weight_of_latency(since, now);
	case KFLAME_WEIGHT_VALUE:
		return kf_request_bytes(owner);
	default:
		return 1;
	}
}

static void count(struct pair *p, const void *owner, u64 now)
{
	struct kf_event *e = p->e;
	struct kf_span *span;
	u64 since, weight;

	span = kf_spans_end(&p->spans, owner, &since);
	if (!span)
		return;
	weight = weight_of(e, owner, since, now);
	e->sample->count(e, &p->spans.chunks, &span->kept, NULL, KFLAME_CTX_TASK, now, weight,
			 kf_weight_is_wanted(e, weight) ? -1 : KFLAME_LOST_LENGTH);
	kf_spans_free(&p->spans, span);
}

/* A part of a request is done: what is left of it is more than what is done now. */
static bool is_partial(const struct pair *p, const void *request, unsigned long bytes)
{
	return p->by_complete && kf_request_bytes(request) > (u32)bytes;
}

static void ended(void *data, const void *first, const void *second, unsigned long third)
{
	const u64 now = ktime_get_mono_fast_ns();
	const struct point *p = data;
	const void *owner = owner_of(p, first, second);
	unsigned long flags;
	u64 begin;

	if (in_nmi()) {
		atomic_inc(&p->pair->missed);
		return;
	}
	if (is_partial(p->pair, owner, third))
		return;
	local_irq_save(flags);
	/* See begun(). What ends then has begun in the sample path, so it is not kept. */
	if (!__this_cpu_read(kf_storing)) {
		begin = kf_clock_read();
		count(p->pair, owner, now);
		p->pair->e->sample->spent(p->pair->e, begin);
	}
	local_irq_restore(flags);
}

static void gone(void *data, const void *first, const void *second)
{
	const struct point *p = data;
	unsigned long flags;

	local_irq_save(flags);
	kf_spans_drop(&p->pair->spans, p->argument == 2 ? second : first, 0);
	local_irq_restore(flags);
}

static void find_point(struct pair *p, struct point *point, const char *name)
{
	point->tp = kf_find_tracepoint(name);
	point->pair = p;
	point->argument = kf_request_argument(name);
}

/* @names: FIRST|LATER..., which this writes to. Return: 0; -EINVAL; -ENOENT if the kernel has none of them */
static int find_begin(struct pair *p, char *names)
{
	u32 nr = 0, requests = 0, found = 0;
	char *name;

	while ((name = strsep(&names, "|"))) {
		if (!*name || nr == MOST_STAGES)
			return -EINVAL;
		find_point(p, &p->begin[nr], name);
		p->begin[nr].stage = nr;
		found += !!p->begin[nr].tp;
		requests += !!p->begin[nr].argument;
		nr++;
	}
	p->by_request = requests == nr && p->end.argument;
	return found ? 0 : -ENOENT;
}

/* @name: SYS:BEGIN..END. Return: 0; -EINVAL if it is not; -ENOENT if the kernel has no such tracepoints */
static int find_points(struct pair *p, const char *name)
{
	char text[KFLAME_EVENT_NAME], *begin, *end;
	int err;

	strscpy(text, name, sizeof(text));
	begin = strchr(text, ':');
	end = begin ? strstr(begin, "..") : NULL;
	if (!end || begin == text || !end[2])
		return -EINVAL;
	*end = 0;
	find_point(p, &p->end, end + 2);
	err = find_begin(p, begin + 1);
	if (err)
		return err;
	p->by_complete = p->by_request && !strcmp(end + 2, "block_rq_complete");
	find_point(p, &p->gone, p->by_request ? "block_rq_merge" : "sched_process_free");
	return p->end.tp ? 0 : -ENOENT;
}

static struct pair *new_pair(struct kf_event *e, const char *name, int *err)
{
	struct pair *p = kzalloc(sizeof(*p), GFP_KERNEL);

	*err = p ? find_points(p, name) : -ENOMEM;
	if (!*err) {
		p->e = e;
		return p;
	}
	kfree(p);
	return NULL;
}

static int check(const char *name)
{
	int err;

	kfree(new_pair(NULL, name, &err));
	return err;
}

static int register_point(struct point *p, void *probe)
{
	int err = p->tp ? tracepoint_probe_register(p->tp, probe, p) : 0;

	p->probe = p->tp && !err ? probe : NULL;
	return err;
}

static void unregister_point(struct point *p)
{
	if (p->probe)
		WARN_ON_ONCE(tracepoint_probe_unregister(p->tp, p->probe, p));
	p->probe = NULL;
}

static void unregister(struct pair *p)
{
	u32 i;

	for (i = 0; i < MOST_STAGES; i++)
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
	for (i = 0; !err && i < MOST_STAGES; i++)
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
	if (e->weight == KFLAME_WEIGHT_VALUE && !p->by_complete)
		goto free;
	err = kf_spans_init(&p->spans);
	if (err)
		goto free;
	e->data = p;
	err = register_probes(p);
	if (!err)
		return 0;
	e->data = NULL;
	kf_spans_exit(&p->spans);
free:
	kfree(p);
	return err;
}

static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct pair *p = e->data;

	return kf_named_drain(e, part, &p->missed);
}

static void detach(struct kf_event *e)
{
	struct pair *p = e->data;

	unregister(p);
	e->data = NULL;
	kf_spans_exit(&p->spans);
	kfree(p);
}

#endif

const struct kf_source kf_source_pair = {
	.name = "tracepoint",
	.kind = KFLAME_EVENT_PAIR,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_LATENCY | 1U << KFLAME_WEIGHT_VALUE,
	.value_unit = KFLAME_UNIT_BYTES,
#ifdef KF_UNTYPED_PROBES
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
