// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobe.c - an event source: a kernel function is called, or an instruction in it is reached
 *
 * A sample for each hit, in any context. No sample can be taken of a hit in an NMI, because the NMI may have
 * interrupted code that holds locks of samples, or that changes the accounting. The kernel reports no hit
 * in a handler of another probe. Both are counted, and lost as nested.
 *
 * A jump instead of a breakpoint (CONFIG_OPTPROBES) makes the two kinds of NMI depth look the same. So
 * probes that are not by ftrace have a post_handler, with which the kernel does not use jumps.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/kprobes.h"
#include "source/kprobe.h"
#include "source/labelled.h"
#include "source/named.h"
#include "source/source.h"

#ifdef KF_KPROBES

/**
 * struct probe - what the source keeps of an event: its kf_event.data
 * @kp:		the kernel's
 * @e:		the event
 * @nmi_depth:	see kf_kprobe_nmi_depth()
 * @missed:	hits in NMIs that drain() has not accounted for
 * @faults:	faults in the handler that @kp.nmissed counts, too
 * @seen:	the part of @kp.nmissed that drain() has accounted for; only drain() uses it
 * @labelled:	where the labels of hits come from; NULL for none
 * @symbol:	the function's name
 *
 * Ownership: from attach() to detach(). The handlers use it on all CPUs at once.
 */
struct probe {
	struct kprobe kp;
	struct kf_event *e;
	unsigned int nmi_depth;
	atomic_t missed;
	atomic_t faults;
	unsigned long seen;
	const struct kf_labelled *labelled;
	char symbol[KFLAME_EVENT_NAME];
};

/* The walk begins at the probed instruction, but the registers may have the address after the breakpoint. */
static int hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct probe *p = container_of(kp, struct probe, kp);
	const unsigned long ip = instruction_pointer(regs);
	unsigned long flags;
	u32 label = 0;

	if (kf_nmi_depth() > p->nmi_depth) {
		atomic_inc(&p->missed);
		return 0;
	}
	local_irq_save(flags);
	instruction_pointer_set(regs, (unsigned long)kp->addr);
	if (p->labelled && p->e->sample->wants(p->e))
		label = kf_label_of(p->labelled, p->e->labels,
				    regs_get_kernel_argument(regs, p->labelled->arg));
	p->e->sample->take(p->e, regs, (unsigned long)__builtin_return_address(0), 0, 1, label);
	instruction_pointer_set(regs, ip);
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
	atomic_inc(&container_of(kp, struct probe, kp)->faults);
	return 0;
}

NOKPROBE_SYMBOL(fault);

/* Find FUNC[+OFF] in @name. Return: 0; -EINVAL if that is not what @name is */
static int parse(struct probe *p, const char *name)
{
	char *plus;

	strscpy(p->symbol, name, sizeof(p->symbol));
	plus = strchr(p->symbol, '+');
	p->kp.symbol_name = p->symbol;
	if (!plus)
		return *p->symbol ? 0 : -EINVAL;
	*plus = 0;
	return kstrtouint(plus + 1, 0, &p->kp.offset) || !*p->symbol ? -EINVAL : 0;
}

/* Register @p anew: the kernel takes only a kprobe that it has not filled in. */
static int do_register(struct probe *p, const char *name, u32 flags, kprobe_post_handler_t post)
{
	int err;

	memset(&p->kp, 0, sizeof(p->kp));
	err = parse(p, name);
	if (err)
		return err;
	p->kp.flags = flags;
	p->kp.pre_handler = hit;
	p->kp.post_handler = post;
	kf_kprobe_on_fault(&p->kp, fault);
	return register_kprobe(&p->kp);
}

/*
 * Register the probe of @name without arming it, and remove it: only then it is known where the probe is,
 * and of which kind. Return: 0; -ENOENT if there is no such function; -EINVAL if it may not be probed, and
 * for kflame's own functions; -EILSEQ if no instruction begins there
 */
static int try_register(struct probe *p, const char *name)
{
	bool ours;
	int err;

	err = do_register(p, name, KPROBE_FLAG_DISABLED, NULL);
	if (err)
		return err;
	ours = within_module((unsigned long)p->kp.addr, THIS_MODULE);
	p->nmi_depth = kf_kprobe_nmi_depth(&p->kp);
	unregister_kprobe(&p->kp);
	return ours ? -EINVAL : 0;
}

static struct probe *new_probe(struct kf_event *e)
{
	struct probe *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (p)
		p->e = e;
	return p;
}

int kf_kprobe_check(const char *name)
{
	struct probe *p = new_probe(NULL);
	int err;

	if (!p)
		return -ENOMEM;
	err = try_register(p, name);
	kfree(p);
	return err;
}

static int attach(struct kf_event *e)
{
	const char *name = e->name + strlen(e->source->name) + 1;
	struct probe *p = new_probe(e);
	int err;

	if (!p)
		return -ENOMEM;
	e->data = p;
	p->labelled = e->labels ? kf_labelled(name) : NULL;
	err = try_register(p, name);
	if (!err)
		err = do_register(p, name, 0, p->nmi_depth ? after : NULL);
	if (err) {
		e->data = NULL;
		kfree(p);
	}
	return err;
}

unsigned long kf_kprobe_nested(struct kprobe *kp, atomic_t *faults, unsigned long *seen)
{
	unsigned long missed = READ_ONCE(kp->nmissed), more;

	missed -= min_t(unsigned long, missed, atomic_read(faults));
	if (missed <= *seen)
		return 0;
	more = missed - *seen;
	*seen = missed;
	return more;
}

static bool drain(struct kf_event *e, struct kf_event_cpu *part)
{
	struct probe *p = e->data;

	if (part->armed)
		atomic_add(kf_kprobe_nested(&p->kp, &p->faults, &p->seen), &p->missed);
	return kf_named_drain(e, part, &p->missed);
}

/* The kernel waits for handlers that run. It does so also if the function's module was unloaded. */
static void detach(struct kf_event *e)
{
	struct probe *p = e->data;

	unregister_kprobe(&p->kp);
	e->data = NULL;
	kfree(p);
}

#endif

const struct kf_source kf_source_kprobe = {
	.name = "kprobe",
	.kind = KFLAME_EVENT_KPROBE,
	.unit = KFLAME_UNIT_EVENTS,
#ifdef KF_KPROBES
	.is_labelled = kf_is_labelled,
	.check = kf_kprobe_check,
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
