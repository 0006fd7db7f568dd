// SPDX-License-Identifier: GPL-2.0-only
/*
 * kretprobe.c - an event source: a kernel function has returned
 *
 * The sample is taken at the return, when its weight is known, and only if the weight is wanted. So nothing
 * is kept for a call except when it began, and what its arguments say. The kernel keeps that, in memory for a
 * fixed number of calls. When the function has returned, its frame is gone. The stack is walked from where it
 * returned to, and the function becomes the innermost frame.
 *
 * A call is not followed if it begins in an NMI or in a sample, or if the session does not sample its task.
 * Neither the accounting nor the filter may be used in an NMI. Where the probe is a breakpoint, x86 enters
 * the call as an NMI. So there all calls are followed, and the filter is asked at the return.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "base/storing.h"
#include "base/trampoline.h"
#include "compat/kprobes.h"
#include "source/call_weight.h"
#include "source/kprobe.h"
#include "source/kretprobe.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#ifdef KF_KRETPROBES

/* Calls at once: some for each CPU, and tasks that wait in the function */
#define CALLS_A_CPU	10U
#define FEWEST_CALLS	1024U

/**
 * struct call - what is kept of a call
 * @began_ns:	when it began
 * @arg:	the argument that its label comes from, or the label that was made at the call
 * @operand:	its operand, for KFLAME_WEIGHT_OPERAND
 * @is_wanted:	all conditions are true of it
 *
 * @operand and what follows is there only if kf_has_operands().
 */
struct call {
	u64 began_ns;
	unsigned long arg;
	u64 operand;
	bool is_wanted;
};

/**
 * struct ret_probe - what the source keeps of an event: its kf_event.data
 * @rp:		the kernel's
 * @e:		the event
 * @nmi_depth:	see kf_kprobe_nmi_depth()
 * @missed:	calls and returns in NMIs that drain() has not accounted for
 * @faults:	faults in the handler that @rp.kp.nmissed counts, too
 * @seen:	the part of @rp.kp.nmissed that drain() has accounted for; only drain() uses it
 * @full:	the same of @rp.nmissed
 * @bytes:	reserved of the module's memory
 * @labelled:	where the labels of returns come from; NULL for none
 * @counts:	is a return that returned this an event? NULL: each return is
 * @symbol:	the function's name
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct ret_probe {
	struct kretprobe rp;
	struct kf_event *e;
	unsigned int nmi_depth;
	atomic_t missed;
	atomic_t faults;
	unsigned long seen;
	unsigned int full;
	size_t bytes;
	const struct kf_labelled *labelled;
	bool (*counts)(unsigned long value);
	char symbol[KFLAME_EVENT_NAME];
};

/* NULL if the probe is being removed on another CPU */
static __always_inline struct ret_probe *probe_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = kf_kretprobe_of(ri);

	return rp ? container_of(rp, struct ret_probe, rp) : NULL;
}

static __always_inline struct call *call_of(struct kretprobe_instance *ri)
{
	return (struct call *)ri->data;
}

/* Is the current task's call to be followed? Interrupts are off, and this is no NMI. */
static bool is_wanted(struct kf_event *e)
{
	if (!__this_cpu_read(kf_storing))
		return e->sample->wants(e);
	e->sample->missed(e, KFLAME_LOST_NESTED, 1, kf_lost_weight(e));
	return false;
}

NOKPROBE_SYMBOL(is_wanted);

/* At the return the registers of the arguments have other values. */
static void keep_operands(const struct kf_event *e, const struct pt_regs *regs, struct call *call)
{
	unsigned long args[KFLAME_MAX_ARG];

	kf_call_args(regs, args);
	call->is_wanted = kf_conditions_hold(e, args);
	if (e->weight == KFLAME_WEIGHT_OPERAND)
		call->operand = kf_operand_weight(e, args);
}

NOKPROBE_SYMBOL(keep_operands);

/* Return: 0 to follow the call, else not */
static int called(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ret_probe *p = probe_of(ri);
	const unsigned int depth = kf_nmi_depth();
	unsigned long flags;
	bool wanted = true;

	if (!p)
		return 1;
	if (depth > p->nmi_depth) {
		atomic_inc(&p->missed);
		return 1;
	}
	call_of(ri)->arg = 0;
	if (p->labelled && !p->labelled->at_call)
		call_of(ri)->arg = regs_get_kernel_argument(regs, p->labelled->arg);
	if (!depth) {
		local_irq_save(flags);
		wanted = is_wanted(p->e);
		if (wanted && p->labelled && p->labelled->at_call)
			call_of(ri)->arg = p->labelled->at_call(p->e->labels, regs);
		local_irq_restore(flags);
	}
	if (kf_has_operands(p->e))
		keep_operands(p->e, regs, call_of(ri));
	call_of(ri)->began_ns = ktime_get_mono_fast_ns();
	return !wanted;
}

NOKPROBE_SYMBOL(called);

static u64 weight_of(const struct kf_event *e, const struct call *call, struct pt_regs *regs)
{
	switch (e->weight) {
	case KFLAME_WEIGHT_LATENCY:
		return kf_weight_of_latency(call->began_ns, ktime_get_mono_fast_ns());
	case KFLAME_WEIGHT_VALUE:
		return kf_weight_of_value(regs_return_value(regs));
	case KFLAME_WEIGHT_OPERAND:
		return call->operand;
	default:
		return 1;
	}
}

/*
 * Most labels are made at the return, so returns that are not wanted cost nothing. The caller of the function
 * holds a reference to what the argument points to until it goes on, which is after this.
 */
static u32 label_of(const struct ret_probe *p, const struct call *call, struct pt_regs *regs)
{
	const struct kf_labelled *l = p->labelled;

	if (!l)
		return 0;
	if (!l->at_call)
		return kf_label_of(l, p->e->labels, call->arg);
	return call->arg ? l->at_return(p->e->labels, call->arg, regs_return_value(regs)) : 0;
}

/* The kernel's trampoline has called this. It restores the registers from @regs. */
static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ret_probe *p = probe_of(ri);
	const unsigned long ip = instruction_pointer(regs);
	struct kf_event *e;
	unsigned long flags;
	u64 weight;

	if (!p)
		return 0;
	e = p->e;
	if (kf_nmi_depth()) {
		atomic_inc(&p->missed);
		return 0;
	}
	local_irq_save(flags);
	/* A breakpoint's call was an NMI, so called() did not ask. */
	if (p->nmi_depth && !is_wanted(e))
		goto out;
	if (p->counts && !p->counts(regs_return_value(regs)))
		goto out;
	weight = weight_of(e, call_of(ri), regs);
	if (!kf_weight_is_wanted(e, weight) || (e->operands.nr && !call_of(ri)->is_wanted)) {
		e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
	} else {
		instruction_pointer_set(regs, kf_kretprobe_caller(ri, regs));
		e->sample->take_return(e, regs, (unsigned long)p->rp.kp.addr, weight,
				       label_of(p, call_of(ri), regs));
		instruction_pointer_set(regs, ip);
	}
out:
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(returned);

static int fault(struct kprobe *kp, struct pt_regs *regs, int trap)
{
	struct ret_probe *p = container_of(kp, struct ret_probe, rp.kp);

	atomic_inc(&p->faults);
	return 0;
}

NOKPROBE_SYMBOL(fault);

static size_t call_bytes(const struct kf_event *e)
{
	return kf_has_operands(e) ? sizeof(struct call) : offsetof(struct call, operand);
}

/* Register @p. @calls: how many at once. Return: 0; -EINVAL if it may not be probed; a negative errno */
static int do_register(struct ret_probe *p, const char *name, unsigned int calls, u32 flags)
{
	strscpy(p->symbol, name, sizeof(p->symbol));
	p->rp.kp.symbol_name = p->symbol;
	p->rp.kp.flags = flags;
	p->rp.entry_handler = called;
	p->rp.handler = returned;
	p->rp.data_size = p->e ? call_bytes(p->e) : 0;
	p->rp.maxactive = calls;
	return register_kretprobe(&p->rp);
}

/* The functions that may be probed are those of kprobes, except for some that never return as others do. */
static int check(const char *name)
{
	struct ret_probe *p;
	int err;

	if (strchr(name, '+'))
		return -EINVAL;
	err = kf_kprobe_check(name);
	if (err)
		return err;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	err = do_register(p, name, 1, KPROBE_FLAG_DISABLED);
	if (!err)
		unregister_kretprobe(&p->rp);
	kfree(p);
	return err;
}

/* ------------------------------------------------------------ the trampoline */

/* A function to learn the trampoline's address from */
static noinline void probed(void)
{
	barrier();
}

/* No more than one START needs to learn it. Two of them at once learn the same. */
static bool is_learnt;

/* A kernel whose unwinder knows the trampoline passes the return address instead. */
static int learn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const unsigned long ip = instruction_pointer(regs);

	if (ip != kf_kretprobe_caller(ri, regs))
		WRITE_ONCE(kf_trampoline, ip);
	return 0;
}

/* arm64 does not pass the address, and its frame records go on beyond the trampoline. */
static int learn_trampoline(void)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)probed, .handler = learn, .maxactive = 1,
	};
	int err;

	if (!IS_ENABLED(CONFIG_X86) || READ_ONCE(is_learnt))
		return 0;
	err = register_kretprobe(&rp);
	if (err)
		return err;
	probed();
	unregister_kretprobe(&rp);
	WRITE_ONCE(is_learnt, true);
	return 0;
}

/**
 * kf_kretprobe_attach() - as kf_source.attach, for the returns of a function
 * @e:		the event
 * @function:	the function's name
 * @counts:	is a return that returned this an event? NULL: each return is
 *
 * No sample is taken before the event is armed. So the depth and the fault handler are set in time.
 *
 * Return: 0 or a negative errno.
 */
int kf_kretprobe_attach(struct kf_event *e, const char *function, bool (*counts)(unsigned long value))
{
	const unsigned int calls = max(CALLS_A_CPU * num_possible_cpus(), FEWEST_CALLS);
	struct ret_probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return -ENOMEM;
	p->e = e;
	p->labelled = e->labels ? kf_labelled(function) : NULL;
	p->counts = counts;
	err = learn_trampoline();
	if (err)
		goto free;
	err = -ENOMEM;
	p->bytes = calls * (sizeof(struct kretprobe_instance) + call_bytes(e));
	if (!kf_memory_reserve(p->bytes))
		goto free;
	/* Until it is known, no call looks as if it came in an NMI. */
	p->nmi_depth = UINT_MAX;
	e->data = p;
	err = do_register(p, function, calls, 0);
	if (err)
		goto release;
	WRITE_ONCE(p->nmi_depth, kf_kprobe_nmi_depth(&p->rp.kp));
	kf_kprobe_on_fault(&p->rp.kp, fault);
	return 0;

release:
	e->data = NULL;
	kf_memory_release(p->bytes);
free:
	kfree(p);
	return err;
}

static int attach(struct kf_event *e)
{
	return kf_kretprobe_attach(e, kf_event_own_name(e), NULL);
}

/* As kf_source.drain. The kernel counts calls without room, but without a lock: it may miss a few. */
bool kf_kretprobe_drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct ret_probe *p = e->data;
	unsigned int full, missed;

	if (!part->armed)
		return false;
	full = READ_ONCE(p->rp.nmissed);
	if (full != p->full)
		e->sample->missed(e, KFLAME_LOST_WAITS, full - p->full, 0);
	p->full = full;
	missed = atomic_xchg(&p->missed, 0) +
		 kf_kprobe_nested(READ_ONCE(p->rp.kp.nmissed), &p->faults, &p->seen);
	if (missed)
		e->sample->missed(e, KFLAME_LOST_NESTED, missed, missed * kf_lost_weight(e));
	return false;
}

/*
 * As kf_source.detach. The kernel waits for handlers that run. Calls that have not returned keep the
 * kernel's memory until they return; nothing of this module is called for them.
 */
void kf_kretprobe_detach(struct kf_event *e)
{
	struct ret_probe *p = e->data;

	unregister_kretprobe(&p->rp);
	e->data = NULL;
	kf_memory_release(p->bytes);
	kfree(p);
}

#endif

const struct kf_source kf_source_kretprobe = {
	.name = "kretprobe",
	.kind = KFLAME_EVENT_KRETPROBE,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_LATENCY | 1U << KFLAME_WEIGHT_VALUE | 1U << KFLAME_WEIGHT_OPERAND,
	.args = KFLAME_MAX_ARG,
#ifdef KF_KRETPROBES
	.is_labelled = kf_is_labelled,
	.check = check,
	.attach = attach,
	.drain = kf_kretprobe_drain,
	.detach = kf_kretprobe_detach,
	.arm = kf_event_arm,
	.disarm = kf_event_disarm,
	.books = kf_event_books,
#else
	.is_supported = kf_source_is_missing,
#endif
};
