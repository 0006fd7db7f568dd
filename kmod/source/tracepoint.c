// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint.c - an event source: code passes a tracepoint of the kernel or of a module
 *
 * A sample for each hit, in any context. No sample can be taken of a hit in an NMI, see source/kprobe.c.
 *
 * The arguments of a tracepoint differ in number and type. The probe takes its own one, and then
 * KF_PROBE_ARGS words: the registers in which the first arguments are passed. Of a tracepoint with fewer
 * arguments, the other registers have any value. To read them is safe: a register always has a value, and
 * no memory is read. The sixth argument would be on the stack on x86-64, so the probe takes five. A kernel
 * that checks the types of indirect calls (CONFIG_CFI_CLANG, CONFIG_CFI) does not allow that: there this
 * source is not supported. Other tracers compile a probe of the right type for each tracepoint.
 *
 * The stack begins where the tracepoint is, without the kernel's function that calls several probes. A module
 * whose tracepoint is watched stays loaded.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/tracepoints.h"
#include "source/caller_regs.h"
#include "source/fields.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#ifdef KF_UNTYPED_PROBES

/**
 * struct point - what the source keeps of an event: its kf_event.data
 * @point:	the kernel's or a module's
 * @e:		the event
 * @labelled:	where the labels of hits come from; NULL for none
 * @missed:	hits in NMIs that drain() has not accounted for
 *
 * Ownership: from attach() to detach(). The probe uses it on all CPUs at once.
 */
struct point {
	struct kf_tracepoint point;
	struct kf_event *e;
	const struct kf_labelled *labelled;
	atomic_t missed;
};

static u32 label_of(struct point *p, const unsigned long *args)
{
	if (!p->labelled || !p->e->sample->wants(p->e))
		return 0;
	return kf_label_of(p->labelled, p->e->labels, args[p->labelled->arg]);
}

/* Not traced: a tracer of functions may replace the return address, at which the walk begins. */
static notrace void hit(void *data, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
			unsigned long e)
{
	struct point *p = data;
	const unsigned long args[KFLAME_MAX_ARG] = { a, b, c, d, e };
	struct pt_regs regs;
	unsigned long flags;
	u64 weight = 1;

	if (in_nmi()) {
		atomic_inc(&p->missed);
		return;
	}
	local_irq_save(flags);
	if (kf_has_operands(p->e))
		weight = kf_weigh(p->e, args);
	if (weight) {
		kf_caller_regs(&regs);
		p->e->sample->take(p->e, &regs, 0, kf_tracepoint_iterator(p->point.tp), weight,
				   label_of(p, args));
	}
	local_irq_restore(flags);
}

/* @name: SYS:NAME. NAME alone identifies a tracepoint. Return: as kf_tracepoint_get() */
static struct kf_tracepoint get(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon > name ? kf_tracepoint_get(colon + 1) : (struct kf_tracepoint){ };
}

static int check(const char *name)
{
	struct kf_tracepoint point = get(name);
	const bool is_there = point.tp;

	kf_tracepoint_put(&point);
	return is_there ? 0 : -ENOENT;
}

static int attach(struct kf_event *e)
{
	struct point *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err = -ENOENT;

	if (!p)
		return -ENOMEM;
	p->e = e;
	p->point = get(kf_event_own_name(e));
	p->labelled = e->labels ? kf_labelled(kf_event_own_name(e)) : NULL;
	e->data = p;
	if (p->point.tp)
		err = tracepoint_probe_register(p->point.tp, hit, p);
	if (!err)
		return 0;
	kf_tracepoint_put(&p->point);
	e->data = NULL;
	kfree(p);
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

	WARN_ON_ONCE(tracepoint_probe_unregister(p->point.tp, hit, p));
	tracepoint_synchronize_unregister();
	kf_tracepoint_put(&p->point);
	e->data = NULL;
	kfree(p);
}

#endif

const struct kf_source kf_source_tracepoint = {
	.name = "tracepoint",
	.kind = KFLAME_EVENT_TRACEPOINT,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_OPERAND,
#ifdef KF_UNTYPED_PROBES
	.args = KF_PROBE_ARGS,
	.is_labelled = kf_is_labelled,
	.check = check,
	.find_field = kf_find_field,
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
