// SPDX-License-Identifier: GPL-2.0-only
/*
 * faults.c - an event source: page faults
 *
 * By the kernel's tracepoints there is a sample for each exception, of user and of kernel mode, also if the
 * kernel then finds that the access was not allowed. The registers are those of the access.
 *
 * With labels, or on kernels without the tracepoints (other than x86, or without CONFIG_TRACEPOINTS), there
 * is a sample when the kernel has handled a fault: a return of KF_FAULT_FUNCTION. These are the faults that
 * getrusage(2) counts.
 *
 * The sample path itself may fault, because it reads user stacks. Such an exception comes while a sample
 * is stored, and is counted as lost (KFLAME_LOST_NESTED). Other code that has interrupts off may
 * fault, too: tracers read user memory there. The kernel does not bring in a page for such code, and
 * the code may hold a lock that samples take. Those faults, and faults in NMIs, are no events.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "compat/fault_tracepoints.h"
#include "source/fault_label.h"
#include "source/kretprobe.h"
#include "source/source.h"

#ifdef KF_FAULT_TRACEPOINTS

/* Both tracepoints; NULL if this kernel has no such one */
struct points {
	struct tracepoint *user, *kernel;
};

static struct points find_points(void)
{
	return (struct points){
		.user = kf_find_tracepoint("page_fault_user"),
		.kernel = kf_find_tracepoint("page_fault_kernel"),
	};
}

static bool has_points(void)
{
	struct points found = find_points();

	return found.user && found.kernel;
}

/* Interrupts may be on, and preemption, depending on the kernel. */
static void fault(void *event, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	struct kf_event *e = event;
	unsigned long flags;

	if (in_nmi() || (!kf_irqs_were_on(regs) && !this_cpu_read(kf_storing)))
		return;
	local_irq_save(flags);
	e->sample->take(e, regs, (unsigned long)__builtin_return_address(0), 0, 1, 0);
	local_irq_restore(flags);
}

static int attach_points(struct kf_event *e)
{
	struct points p = find_points();
	int err;

	kf_check_fault_probe(fault);
	err = tracepoint_probe_register(p.user, fault, e);
	if (err)
		return err;
	err = tracepoint_probe_register(p.kernel, fault, e);
	if (err) {
		tracepoint_probe_unregister(p.user, fault, e);
		tracepoint_synchronize_unregister();
	}
	return err;
}

static void detach_points(struct kf_event *e)
{
	struct points p = find_points();

	WARN_ON_ONCE(tracepoint_probe_unregister(p.kernel, fault, e));
	WARN_ON_ONCE(tracepoint_probe_unregister(p.user, fault, e));
	tracepoint_synchronize_unregister();
}

#else

static bool has_points(void)
{
	return false;
}

static int attach_points(struct kf_event *e)
{
	return -EOPNOTSUPP;
}

static void detach_points(struct kf_event *e)
{
}

#endif

static bool is_supported(void)
{
	return has_points() || kf_source_is_supported(&kf_source_kretprobe);
}

static bool is_labelled(const char *unused)
{
	return kf_source_is_supported(&kf_source_kretprobe);
}

/* Does a return probe see the faults? It has kf_event.data then, which stays NULL with tracepoints. */
static bool by_function(const struct kf_event *e)
{
	return e->labels || !has_points();
}

static int attach(struct kf_event *e)
{
	return by_function(e) ? kf_kretprobe_attach(e, KF_FAULT_FUNCTION, kf_fault_counts) : attach_points(e);
}

static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	return e->data && kf_kretprobe_drain(e, part);
}

static void detach(struct kf_event *e)
{
	if (e->data)
		kf_kretprobe_detach(e);
	else
		detach_points(e);
}

const struct kf_source kf_source_faults = {
	.name = "page-faults",
	.kind = KFLAME_EVENT_FAULTS,
	.unit = KFLAME_UNIT_EVENTS,
	.is_supported = is_supported,
	.is_labelled = is_labelled,
	.attach = attach,
	.drain = drain,
	.detach = detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
};
