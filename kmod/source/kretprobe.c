// SPDX-License-Identifier: GPL-2.0-only
/*
 * kretprobe.c - an event source: a kernel function has returned
 *
 * An event may have a list of functions.
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
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "base/storing.h"
#include "compat/kprobes.h"
#include "source/call_weight.h"
#include "source/functions.h"
#include "source/kprobe.h"
#include "source/kretprobe.h"
#include "source/kretprobe_trampoline.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#ifdef KF_KRETPROBES

/* Calls at once: some for each CPU, and tasks that wait in the function. Functions of a list share them. */
#define CALLS_A_CPU	10U
#define FEWEST_CALLS	1024U
#define FEWEST_OF_LIST	64U

/* Probes that are tried and removed at once, see source/kprobe.c */
#define BATCH	32U

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

struct returns;

/**
 * struct ret_probe - a probe of an event
 * @rp:		the kernel's
 * @of:		the event's probes
 * @function:	of an event with a list, else NULL
 * @nmi_depth:	see kf_kprobe_nmi_depth(); UINT_MAX until it is known
 * @is_set:	@rp is registered
 */
struct ret_probe {
	struct kretprobe rp;
	struct returns *of;
	struct kf_function *function;
	unsigned int nmi_depth;
	bool is_set;
};

/**
 * struct returns - what the source keeps of an event: its kf_event.data
 * @e:		the event; NULL while functions are only tried
 * @missed:	calls and returns in NMIs that drain() has not accounted for
 * @faults:	faults in the handlers that kprobe.nmissed counts, too
 * @seen:	the part of kprobe.nmissed that drain() has accounted for; only drain() uses it
 * @full:	the same of kretprobe.nmissed
 * @bytes:	reserved of the module's memory
 * @calls:	of each function so many may run at once
 * @labelled:	where the labels of returns come from; NULL for none
 * @counts:	is a return that returned this an event? NULL: each return is
 * @symbol:	the function's name, of an event without a list
 * @nr:		number of probes
 * @all:	the probes
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct returns {
	struct kf_event *e;
	atomic_t missed;
	atomic_t faults;
	unsigned long seen;
	unsigned long full;
	size_t bytes;
	unsigned int calls;
	const struct kf_labelled *labelled;
	bool (*counts)(unsigned long value);
	char symbol[KFLAME_EVENT_NAME];
	u32 nr;
	struct ret_probe all[];
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
	const struct ret_probe *p = probe_of(ri);
	const unsigned int depth = kf_nmi_depth();
	const struct kf_labelled *labelled;
	struct kf_event *e;
	unsigned long flags;
	bool wanted = true;

	if (!p)
		return 1;
	if (depth > p->nmi_depth) {
		atomic_inc(&p->of->missed);
		return 1;
	}
	e = p->of->e;
	labelled = p->of->labelled;
	call_of(ri)->arg = 0;
	if (labelled && !labelled->at_call)
		call_of(ri)->arg = regs_get_kernel_argument(regs, labelled->arg);
	if (!depth) {
		local_irq_save(flags);
		wanted = is_wanted(e);
		if (wanted && labelled && labelled->at_call)
			call_of(ri)->arg = labelled->at_call(e->labels, regs);
		local_irq_restore(flags);
	}
	if (kf_has_operands(e))
		keep_operands(e, regs, call_of(ri));
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
static u32 label_of(const struct returns *r, const struct call *call, struct pt_regs *regs)
{
	const struct kf_labelled *l = r->labelled;

	if (!l)
		return 0;
	if (!l->at_call)
		return kf_label_of(l, r->e->labels, call->arg);
	return call->arg ? l->at_return(r->e->labels, call->arg, regs_return_value(regs)) : 0;
}

/* The kernel's trampoline has called this. It restores the registers from @regs. */
static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct ret_probe *p = probe_of(ri);
	const unsigned long ip = instruction_pointer(regs);
	struct kf_event *e;
	unsigned long flags;
	u64 weight;

	if (!p)
		return 0;
	e = p->of->e;
	if (kf_nmi_depth()) {
		atomic_inc(&p->of->missed);
		return 0;
	}
	local_irq_save(flags);
	/* A breakpoint's call was an NMI, so called() did not ask. */
	if (p->nmi_depth && !is_wanted(e))
		goto out;
	if (p->of->counts && !p->of->counts(regs_return_value(regs)))
		goto out;
	weight = weight_of(e, call_of(ri), regs);
	if (!kf_weight_is_wanted(e, weight) || (e->operands.nr && !call_of(ri)->is_wanted)) {
		e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
	} else {
		instruction_pointer_set(regs, kf_kretprobe_caller(ri, regs));
		e->sample->take_return(e, regs, (unsigned long)p->rp.kp.addr, weight,
				       label_of(p->of, call_of(ri), regs));
		instruction_pointer_set(regs, ip);
	}
out:
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(returned);

static int fault(struct kprobe *kp, struct pt_regs *regs, int trap)
{
	atomic_inc(&container_of(kp, struct ret_probe, rp.kp)->of->faults);
	return 0;
}

NOKPROBE_SYMBOL(fault);

static size_t call_bytes(const struct kf_event *e)
{
	return kf_has_operands(e) ? sizeof(struct call) : offsetof(struct call, operand);
}

static unsigned int calls_at_once(const struct kf_functions *functions)
{
	const unsigned int calls = max(CALLS_A_CPU * num_possible_cpus(), FEWEST_CALLS);

	return functions ? max3(calls / functions->nr, 2 * num_possible_cpus(), FEWEST_OF_LIST) : calls;
}

static void free_returns(struct returns *r)
{
	const size_t bytes = r->bytes;

	kvfree(r);
	kf_memory_release(bytes);
}

/*
 * Probes of @functions; NULL: one of @name. @calls: of each function so many at once, for which the kernel
 * allocates memory. Return: for free_returns(); NULL if the memory or the cap does not allow it
 */
static struct returns *new_returns(struct kf_event *e, const char *name, struct kf_functions *functions,
				   unsigned int calls)
{
	const u32 nr = functions ? functions->nr : 1;
	const size_t call = sizeof(struct kretprobe_instance) + (e ? call_bytes(e) : 0);
	struct returns *r;
	const size_t own = struct_size(r, all, nr), bytes = own + nr * calls * call;
	u32 i;

	if (!kf_memory_reserve(bytes))
		return NULL;
	r = kvzalloc(own, GFP_KERNEL);
	if (!r) {
		kf_memory_release(bytes);
		return NULL;
	}
	r->bytes = bytes;
	r->calls = calls;
	r->e = e;
	r->nr = nr;
	if (name)
		strscpy(r->symbol, name, sizeof(r->symbol));
	for (i = 0; i < nr; i++) {
		r->all[i].of = r;
		r->all[i].function = functions ? &functions->all[i] : NULL;
		/* Until it is known, no call looks as if it came in an NMI. */
		r->all[i].nmi_depth = UINT_MAX;
	}
	return r;
}

static bool is_left_out(const struct ret_probe *p)
{
	return p->function && p->function->err;
}

/* Return: 0; -ENOENT if there is no such function; -EINVAL if it may not be probed; a negative errno */
static int do_register(struct ret_probe *p, u32 flags)
{
	struct kprobe *kp = &p->rp.kp;

	if (p->function)
		kp->addr = (kprobe_opcode_t *)kf_function_start(p->function->name, p->function->address);
	if (!kp->addr)
		kp->symbol_name = p->function ? p->function->name : p->of->symbol;
	kp->flags = flags;
	p->rp.entry_handler = called;
	p->rp.handler = returned;
	p->rp.data_size = p->of->e ? call_bytes(p->of->e) : 0;
	p->rp.maxactive = p->of->calls;
	return register_kretprobe(&p->rp);
}

/* Return: the error of the event's one function; of a list, each function has its own */
static int try_batch(struct ret_probe *p, const struct ret_probe *end)
{
	struct kretprobe *registered[BATCH];
	int err, first = 0, nr = 0;

	for (; p < end; p++) {
		if (is_left_out(p))
			continue;
		err = do_register(p, KPROBE_FLAG_DISABLED);
		if (!err)
			registered[nr++] = &p->rp;
		else if (p->function)
			p->function->err = err;
		else
			first = err;
		cond_resched();
	}
	kf_unregister_kretprobes(registered, nr);
	return first;
}

/* The functions that may be probed are those of kprobes, except for some that never return as others do. */
static int try_returns(const char *name, struct kf_functions *functions)
{
	struct returns *r = new_returns(NULL, name, functions, 1);
	int err = 0;
	u32 i;

	if (!r)
		return -ENOMEM;
	for (i = 0; i < r->nr && !err; i += BATCH) {
		err = try_batch(&r->all[i], &r->all[min(i + BATCH, r->nr)]);
		if (!err && signal_pending(current))
			err = -EINTR;
	}
	free_returns(r);
	return err;
}

static int check(const char *name)
{
	const int err = strchr(name, '+') ? -EINVAL : kf_kprobe_check(name);

	return err ?: try_returns(name, NULL);
}

static int check_functions(struct kf_functions *functions)
{
	return kf_kprobe_check_functions(functions) ?: try_returns(NULL, functions);
}

/* No sample is taken before the event is armed. So the depth and the fault handler are set in time. */
static int set_probe(struct ret_probe *p)
{
	const int err = do_register(p, 0);

	if (err)
		return err;
	p->is_set = true;
	WRITE_ONCE(p->nmi_depth, kf_kprobe_nmi_depth(&p->rp.kp));
	kf_kprobe_on_fault(&p->rp.kp, fault);
	if (p->function)
		p->function->address = kf_function_start(p->function->name, (unsigned long)p->rp.kp.addr);
	return 0;
}

/* Return: 0; -EINTR; another negative errno. Then some are set. */
static int set_probes(struct returns *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++) {
		int err;

		if (is_left_out(&r->all[i]))
			continue;
		err = signal_pending(current) ? -EINTR : set_probe(&r->all[i]);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/* The kernel waits for handlers that run. It does so also if the functions' module was unloaded. */
static void remove_probes(struct returns *r)
{
	struct kretprobe *batch[BATCH];
	u32 i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		if (r->all[i].is_set)
			batch[nr++] = &r->all[i].rp;
		if (nr < BATCH && i < r->nr - 1)
			continue;
		kf_unregister_kretprobes(batch, nr);
		nr = 0;
		cond_resched();
	}
}

static int attach_returns(struct kf_event *e, const char *name, struct kf_functions *functions,
			  bool (*counts)(unsigned long value))
{
	struct returns *r;
	int err = kf_kretprobe_learn();

	if (err)
		return err;
	r = new_returns(e, name, functions, calls_at_once(functions));
	if (!r)
		return -ENOMEM;
	r->labelled = name && e->labels ? kf_labelled(name) : NULL;
	r->counts = counts;
	e->data = r;
	err = set_probes(r);
	if (!err)
		return 0;
	remove_probes(r);
	e->data = NULL;
	free_returns(r);
	return err;
}

/**
 * kf_kretprobe_attach() - as kf_source.attach, for the returns of a function
 * @e:		the event
 * @function:	the function's name
 * @counts:	is a return that returned this an event? NULL: each return is
 *
 * Return: 0 or a negative errno.
 */
int kf_kretprobe_attach(struct kf_event *e, const char *function, bool (*counts)(unsigned long value))
{
	return attach_returns(e, function, NULL, counts);
}

static int attach(struct kf_event *e)
{
	return attach_returns(e, e->functions ? NULL : kf_event_own_name(e), e->functions, NULL);
}

/* As kf_source.drain. The kernel counts calls without room, but without a lock: it may miss a few. */
bool kf_kretprobe_drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct returns *r = e->data;
	unsigned long full = 0, missed = 0;
	u32 i;

	if (!part->armed)
		return false;
	for (i = 0; i < r->nr; i++) {
		full += READ_ONCE(r->all[i].rp.nmissed);
		missed += READ_ONCE(r->all[i].rp.kp.nmissed);
	}
	if (full != r->full)
		e->sample->missed(e, KFLAME_LOST_WAITS, full - r->full, 0);
	r->full = full;
	missed = atomic_xchg(&r->missed, 0) + kf_kprobe_nested(missed, &r->faults, &r->seen);
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
	struct returns *r = e->data;

	remove_probes(r);
	e->data = NULL;
	free_returns(r);
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
	.check_functions = check_functions,
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
