// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobe.c - an event source: a kernel function is called, or an instruction in it is reached
 *
 * An event may have a list of functions.
 *
 * A sample for each hit, in any context. No sample can be taken of a hit in an NMI, because the NMI may have
 * interrupted code that holds locks of samples, or that changes the accounting. The kernel reports no hit
 * in a handler of another probe. Both are counted, and lost as nested.
 *
 * A jump instead of a breakpoint (CONFIG_OPTPROBES) makes the two kinds of NMI depth look the same. So
 * probes that are not by ftrace have a post_handler, with which the kernel does not use jumps.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "base/memory.h"
#include "compat/kprobes.h"
#include "source/functions.h"
#include "source/kprobe.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#ifdef KF_KPROBES

/*
 * Probes that are removed at once. The kernel holds its lock for that long, and waits once for handlers that
 * run.
 */
#define BATCH	32U

struct probes;

/**
 * struct probe - a probe of an event
 * @kp:		the kernel's
 * @of:		the event's probes
 * @function:	of an event with a list, else NULL
 * @nmi_depth:	see kf_kprobe_nmi_depth()
 * @err:	why it cannot be set, or is left out: a negative errno
 * @is_set:	@kp is registered
 */
struct probe {
	struct kprobe kp;
	struct probes *of;
	struct kf_function *function;
	unsigned int nmi_depth;
	int err;
	bool is_set;
};

/**
 * struct probes - what the source keeps of an event: its kf_event.data
 * @e:		the event
 * @missed:	hits in NMIs that drain() has not accounted for
 * @faults:	faults in the handlers that kprobe.nmissed counts, too
 * @seen:	the part of kprobe.nmissed that drain() has accounted for; only drain() uses it
 * @labelled:	where the labels of hits come from; NULL for none
 * @bytes:	reserved of the module's memory
 * @symbol:	the function's name, of an event without a list
 * @offset:	of the probe in it
 * @nr:		number of probes
 * @all:	the probes
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct probes {
	struct kf_event *e;
	atomic_t missed;
	atomic_t faults;
	unsigned long seen;
	const struct kf_labelled *labelled;
	size_t bytes;
	char symbol[KFLAME_EVENT_NAME];
	unsigned int offset;
	u32 nr;
	struct probe all[];
};

/* The walk begins at the probed instruction, but the registers may have the address after the breakpoint. */
static int hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct probe *p = container_of(kp, struct probe, kp);
	const unsigned long ip = instruction_pointer(regs);
	struct kf_event *e;
	unsigned long flags;
	u32 label = 0;
	u64 weight;

	if (kf_nmi_depth() > p->nmi_depth) {
		atomic_inc(&p->of->missed);
		return 0;
	}
	e = p->of->e;
	local_irq_save(flags);
	weight = kf_weigh_call(e, regs);
	if (weight) {
		instruction_pointer_set(regs, (unsigned long)kp->addr);
		if (p->of->labelled && e->sample->wants(e))
			label = kf_label_of(p->of->labelled, e->labels,
					    regs_get_kernel_argument(regs, p->of->labelled->arg));
		e->sample->take(e, regs, (unsigned long)__builtin_return_address(0), 0, weight, label);
		instruction_pointer_set(regs, ip);
	}
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(hit);

static void after(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

NOKPROBE_SYMBOL(after);

static int fault(struct kprobe *kp, struct pt_regs *regs, int trap)
{
	atomic_inc(&container_of(kp, struct probe, kp)->of->faults);
	return 0;
}

NOKPROBE_SYMBOL(fault);

/* Find FUNC[+OFF] in @name. Return: 0; -EINVAL if that is not what @name is */
static int parse(struct probes *ps, const char *name)
{
	char *plus;

	strscpy(ps->symbol, name, sizeof(ps->symbol));
	plus = strchr(ps->symbol, '+');
	if (!plus)
		return *ps->symbol ? 0 : -EINVAL;
	*plus = 0;
	return kstrtouint(plus + 1, 0, &ps->offset) || !*ps->symbol ? -EINVAL : 0;
}

static void free_probes(struct probes *ps)
{
	const size_t bytes = ps->bytes;

	kvfree(ps);
	kf_memory_release(bytes);
}

/* Probes of @functions; NULL: one of @name. Return: for free_probes(); or an ERR_PTR() */
static struct probes *new_probes(struct kf_event *e, const char *name, struct kf_functions *functions)
{
	const u32 nr = functions ? functions->nr : 1;
	struct probes *ps;
	const size_t bytes = struct_size(ps, all, nr);
	int err;
	u32 i;

	if (!kf_memory_reserve(bytes))
		return ERR_PTR(-ENOMEM);
	ps = kvzalloc(bytes, GFP_KERNEL);
	if (!ps) {
		kf_memory_release(bytes);
		return ERR_PTR(-ENOMEM);
	}
	ps->bytes = bytes;
	ps->e = e;
	ps->nr = nr;
	for (i = 0; i < nr; i++) {
		ps->all[i].of = ps;
		if (!functions)
			continue;
		ps->all[i].function = &functions->all[i];
		ps->all[i].err = functions->all[i].err;
	}
	err = functions ? 0 : parse(ps, name);
	if (!err)
		return ps;
	free_probes(ps);
	return ERR_PTR(err);
}

/* Register @p anew: the kernel takes only a kprobe that it has not filled in. */
static int do_register(struct probe *p, u32 flags, kprobe_post_handler_t post)
{
	memset(&p->kp, 0, sizeof(p->kp));
	if (p->function)
		p->kp.addr = (kprobe_opcode_t *)kf_function_start(p->function->name, p->function->address);
	if (!p->kp.addr) {
		p->kp.symbol_name = p->function ? p->function->name : p->of->symbol;
		p->kp.offset = p->of->offset;
	}
	p->kp.flags = flags;
	p->kp.pre_handler = hit;
	p->kp.post_handler = post;
	kf_kprobe_on_fault(&p->kp, fault);
	return register_kprobe(&p->kp);
}

/* Is it at the address of a probe before it? A function may have several names. */
static bool is_twice(const struct probe *p)
{
	const struct probe *other;

	for (other = p->of->all; other < p; other++)
		if (!other->err && other->kp.addr == p->kp.addr)
			return true;
	return false;
}

/* Keep what is known now that the kernel has found @p. Return: as try_probes() */
static int learn(struct probe *p)
{
	p->nmi_depth = kf_kprobe_nmi_depth(&p->kp);
	if (p->function)
		p->function->address = kf_function_start(p->function->name, (unsigned long)p->kp.addr);
	if (within_module((unsigned long)p->kp.addr, THIS_MODULE))
		return -EINVAL;
	return is_twice(p) ? -EEXIST : 0;
}

static void try_batch(struct probe *p, const struct probe *end)
{
	struct kprobe *registered[BATCH];
	int nr = 0;

	for (; p < end; p++) {
		if (p->err)
			continue;
		p->err = do_register(p, KPROBE_FLAG_DISABLED, NULL);
		if (p->err)
			continue;
		registered[nr++] = &p->kp;
		p->err = learn(p);
		cond_resched();
	}
	kf_unregister_kprobes(registered, nr);
}

/*
 * Register the probes without arming them, and remove them: only then it is known where each probe is, and of
 * which kind. struct probe.err becomes 0; -ENOENT if there is no such function; -EINVAL if it may not be
 * probed, and for kflame's own functions; -EILSEQ if no instruction begins there; -EEXIST if there is such a
 * probe already. Return: 0, or -EINTR
 */
static int try_probes(struct probes *ps)
{
	u32 i;

	for (i = 0; i < ps->nr; i += BATCH) {
		if (signal_pending(current))
			return -EINTR;
		try_batch(&ps->all[i], &ps->all[min(i + BATCH, ps->nr)]);
	}
	return 0;
}

int kf_kprobe_check(const char *name)
{
	struct probes *ps = new_probes(NULL, name, NULL);
	int err;

	if (IS_ERR(ps))
		return PTR_ERR(ps);
	err = try_probes(ps);
	if (!err)
		err = ps->all[0].err;
	free_probes(ps);
	return err;
}

int kf_kprobe_check_functions(struct kf_functions *functions)
{
	struct probes *ps = new_probes(NULL, NULL, functions);
	int err;
	u32 i;

	if (IS_ERR(ps))
		return PTR_ERR(ps);
	err = try_probes(ps);
	for (i = 0; i < ps->nr; i++)
		functions->all[i].err = ps->all[i].err;
	free_probes(ps);
	return err;
}

/* Return: why a function that CONFIGURE has found cannot be probed now, a negative errno; 0 if all can */
static int new_error(const struct probes *ps)
{
	const struct probe *p;
	u32 i;

	for (i = 0; i < ps->nr; i++) {
		p = &ps->all[i];
		if (p->err && !(p->function && p->function->err))
			return p->err;
	}
	return 0;
}

/* Return: 0; -EINTR; another negative errno. Then some are set. */
static int set_probes(struct probes *ps)
{
	struct probe *p;
	u32 i;

	for (i = 0; i < ps->nr; i++) {
		p = &ps->all[i];
		if (p->err)
			continue;
		if (signal_pending(current))
			return -EINTR;
		p->err = do_register(p, 0, p->nmi_depth ? after : NULL);
		if (p->err)
			return p->err;
		p->is_set = true;
		/* A module with a function of that name was loaded in between. */
		if (p->nmi_depth != kf_kprobe_nmi_depth(&p->kp))
			return -EAGAIN;
		cond_resched();
	}
	return 0;
}

/* The kernel waits for handlers that run. It does so also if the functions' module was unloaded. */
static void remove_probes(struct probes *ps)
{
	struct kprobe *batch[BATCH];
	u32 i, nr = 0;

	for (i = 0; i < ps->nr; i++) {
		if (ps->all[i].is_set)
			batch[nr++] = &ps->all[i].kp;
		if (nr < BATCH && i < ps->nr - 1)
			continue;
		kf_unregister_kprobes(batch, nr);
		nr = 0;
		cond_resched();
	}
}

static int attach(struct kf_event *e)
{
	struct probes *ps = new_probes(e, kf_event_own_name(e), e->functions);
	int err;

	if (IS_ERR(ps))
		return PTR_ERR(ps);
	e->data = ps;
	ps->labelled = e->labels && !e->functions ? kf_labelled(kf_event_own_name(e)) : NULL;
	err = try_probes(ps);
	if (!err)
		err = new_error(ps);
	if (!err)
		err = set_probes(ps);
	if (err) {
		remove_probes(ps);
		e->data = NULL;
		free_probes(ps);
	}
	return err;
}

unsigned long kf_kprobe_nested(unsigned long missed, atomic_t *faults, unsigned long *seen)
{
	unsigned long more;

	missed -= min_t(unsigned long, missed, atomic_read(faults));
	if (missed <= *seen)
		return 0;
	more = missed - *seen;
	*seen = missed;
	return more;
}

static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct probes *ps = e->data;
	unsigned long missed = 0;
	u32 i;

	if (!part->armed)
		return false;
	for (i = 0; i < ps->nr; i++)
		missed += READ_ONCE(ps->all[i].kp.nmissed);
	atomic_add(kf_kprobe_nested(missed, &ps->faults, &ps->seen), &ps->missed);
	return kf_named_drain(e, part, &ps->missed);
}

static void detach(struct kf_event *e)
{
	struct probes *ps = e->data;

	remove_probes(ps);
	e->data = NULL;
	free_probes(ps);
}

#endif

const struct kf_source kf_source_kprobe = {
	.name = "kprobe",
	.kind = KFLAME_EVENT_KPROBE,
	.unit = KFLAME_UNIT_EVENTS,
	.weights = 1U << KFLAME_WEIGHT_OPERAND,
	.args = KFLAME_MAX_ARG,
#ifdef KF_KPROBES
	.is_labelled = kf_is_labelled,
	.check = kf_kprobe_check,
	.check_functions = kf_kprobe_check_functions,
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
