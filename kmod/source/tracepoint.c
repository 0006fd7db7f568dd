// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint.c - an event source: code passes one of the kernel's tracepoints
 *
 * A sample for each hit, in any context. No sample can be taken of a hit in an NMI, see source/kprobe.c.
 *
 * The arguments of a tracepoint differ in number and type. The probe takes the first, which is its own, and
 * three words, of which it uses those that this tracepoint has. The calling conventions of x86-64 and arm64
 * allow that.
 * A kernel that checks the types of indirect calls (CONFIG_CFI_CLANG, CONFIG_CFI) does not: there this source
 * is not supported. Other tracers compile a probe of the right type for each tracepoint.
 *
 * The stack begins where the tracepoint is, without the kernel's function that calls several probes.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/tracepoints.h"
#include "source/caller_regs.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#if defined(KF_TRACEPOINTS) && !defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define KF_UNTYPED_PROBES
#endif

#ifdef KF_UNTYPED_PROBES

/**
 * struct point - what the source keeps of an event: its kf_event.data
 * @tp:		the kernel's
 * @e:		the event
 * @labelled:	where the labels of hits come from; NULL for none
 * @missed:	hits in NMIs that drain() has not accounted for
 *
 * Ownership: from attach() to detach(). The probe uses it on all CPUs at once.
 */
struct point {
	struct tracepoint *tp;
	struct kf_event *e;
	const struct kf_labelled *labelled;
	atomic_t missed;
};

/* @first to @third: words that are arguments of the tracepoint if it has so many */
static u32 label_of(struct point *p, unsigned long first, unsigned long second, unsigned long third)
{
	const unsigned long args[] = { first, second, third };

	if (!p->labelled || !p->e->sample->wants(p->e))
		return 0;
	return kf_label_of(p->labelled, p->e->labels, args[p->labelled->arg]);
}

/* Not traced: a tracer of functions may replace the return address, at which the walk begins. */
static notrace void hit(void *data, unsigned long first, unsigned long second, unsigned long third)
{
	struct point *p = data;
	struct pt_regs regs;
	unsigned long flags;

	if (in_nmi()) {
		atomic_inc(&p->missed);
		return;
	}
	local_irq_save(flags);
	kf_caller_regs(&regs);
	p->e->sample->take(p->e, &regs, 0, (unsigned long)p->tp->iterator, 1,
			     label_of(p, first, second, third));
	local_irq_restore(flags);
}

/* @name: SYS:NAME. NAME alone identifies a tracepoint. Return: NULL if the kernel has none */
static struct tracepoint *find(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon > name ? kf_find_tracepoint(colon + 1) : NULL;
}

static int check(const char *name)
{
	return find(name) ? 0 : -ENOENT;
}

static int attach(struct kf_event *e)
{
	struct point *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err = -ENOENT;

	if (!p)
		return -ENOMEM;
	p->e = e;
	p->tp = find(e->name + strlen(e->source->name) + 1);
	p->labelled = e->labels ? kf_labelled(e->name + strlen(e->source->name) + 1) : NULL;
	e->data = p;
	if (p->tp)
		err = tracepoint_probe_register(p->tp, hit, p);
	if (err) {
		e->data = NULL;
		kfree(p);
	}
	return err;
}

static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct point *p = e->data;

	return kf_named_drain(e, part, &p->missed);
}

static void detach(struct kf_event *e)
{
	struct point *p = e->data;

	WARN_ON_ONCE(tracepoint_probe_unregister(p->tp, hit, p));
	tracepoint_synchronize_unregister();
	e->data = NULL;
	kfree(p);
}

#endif

const struct kf_source kf_source_tracepoint = {
	.name = "tracepoint",
	.kind = KFLAME_EVENT_TRACEPOINT,
	.unit = KFLAME_UNIT_EVENTS,
#ifdef KF_UNTYPED_PROBES
	.is_labelled = kf_is_labelled,
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
