// SPDX-License-Identifier: GPL-2.0-only
/*
 * kstack_learnt.c - kernel stacks by learnt steps of the kernel's unwinder, see ksteps.h
 *
 * The same frames as those of kstack_unwind.c, or else the walk is its: what is not plain calls
 * of the image's or a module's code on the task's own stack, down to where user mode or the thread
 * began, is left to it as a whole.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <kflame.h>
#include "kstack.h"
#include "ksteps.h"

#ifdef KF_HAVE_ORC_STATE

/* Of a stack: what is not to be read may be poisoned, which is not for us to find out. */
static __always_inline unsigned long word_at(unsigned long address)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)address);
}

/* Is this where the task came from user mode, or began? */
static __always_inline bool is_end(u64 step, unsigned long sp, unsigned long bp)
{
	unsigned long regs = (unsigned long)task_pt_regs(current);

	if ((step & KF_STEP_KIND) == KF_STEP_END)
		return true;
	if ((step & KF_STEP_KIND) != KF_STEP_REGS ||
	    (step & KF_STEP_BY_BP ? bp : sp) + kf_step_cfa(step) != regs)
		return false;
	/* Of user mode; in the vsyscall page, what the unwinder says is its own affair. */
	return word_at(regs + offsetof(struct pt_regs, cs)) & 3 &&
	       (long)word_at(regs + offsetof(struct pt_regs, ip)) >= 0;
}

/*
 * The CFA of a call by a row that goes by bp, which may be anything.
 * Return: 0: it does not lie on the stack above sp, or what is saved below it does not.
 */
static __always_inline unsigned long cfa_by_bp(u64 step, unsigned long sp, unsigned long bp,
					       unsigned long low, unsigned long high)
{
	unsigned long cfa = bp + kf_step_cfa(step);

	if (cfa <= sp || cfa > high || cfa % sizeof(long) || cfa - kf_step_saved(step) < low)
		return 0;
	return cfa;
}

/*
 * Walk. Every read lies on the task's stack, every frame above the one before it: sp is a multiple
 * of 8, and of a plain step CFA is more, and what is saved lies between both.
 * Return: what it is to be counted as: KF_KWALK_LEARNT, or why @f is not to be used.
 */
static __always_inline int walk(struct kf_kwalk *w, const struct pt_regs *regs, u32 depth,
				struct kf_frames *f)
{
	const unsigned long low = (unsigned long)task_stack_page(current);
	const unsigned long high = low + THREAD_SIZE;
	unsigned long ip = regs->ip, sp = regs->sp, bp = regs->bp, cfa, saved;
	u64 step, *learnt = &w->count[KF_KWALK_STEPS];
	const u64 enough = *learnt + KF_STEPS_A_SAMPLE;
	struct kf_ksteps *steps = w->steps;
	u64 *to = f->ip, *const full = f->ip + depth;
	u32 end = KFLAME_END_COMPLETE;

	if (sp < low || sp >= high)
		return KF_KWALK_OTHER_STACK;
	if (sp % sizeof(long))
		return KF_KWALK_ODD;
	for (step = kf_kstep(steps, ip, false, learnt, enough);;
	     step = kf_kstep(steps, ip, true, learnt, enough)) {
		*to++ = ip;
		saved = kf_step_saved(step);
		if (likely((s64)step < 0)) {
			cfa = sp + kf_step_cfa(step);
			if (unlikely(cfa > high))
				return KF_KWALK_ODD;
			if (saved)
				bp = word_at(sp + saved - sizeof(long));
		} else if ((step & KF_STEP_KIND) == KF_STEP_CALL) {
			cfa = cfa_by_bp(step, sp, bp, low, high);
			if (!cfa)
				return KF_KWALK_ODD;
			if (saved)
				bp = word_at(cfa - saved);
		} else {
			break;
		}
		ip = word_at(cfa - sizeof(long));
		sp = cfa;
		if (unlikely(to == full)) {
			if (!kf_in_image(ip) && !kf_ktext_is_module(&steps->text, ip))
				return KF_KWALK_ODD;
			end = KFLAME_END_DEPTH;
			goto out;
		}
	}
	if (!is_end(step, sp, bp))
		return KF_KWALK_ODD;
out:
	f->is = kf_shape(KFLAME_STACK_KERNEL, to - f->ip, end, KF_NO_CANDIDATE);
	return KF_KWALK_LEARNT;
}

__no_kmsan_checks void kf_kstack_by_steps(struct pt_regs *regs, unsigned long handler, u32 depth,
					  struct kf_kwalk *w, struct kf_frames *f)
{
	int as = walk(w, regs, depth, f);

	w->count[as]++;
	if (unlikely(as != KF_KWALK_LEARNT))
		kf_kstack_unwind()(regs, handler, depth, w, f);
}

/* ------------------------------------------------------------ learn_check */

static bool same_frames(const struct kf_frames *a, const struct kf_frames *b)
{
	return a->is.word == b->is.word && !memcmp(a->ip, b->ip, sizeof(*a->ip) * a->is.nr);
}

static void copy_frames(struct kf_frames *to, const struct kf_frames *from)
{
	to->is = from->is;
	memcpy(to->ip, from->ip, sizeof(*from->ip) * from->is.nr);
}

/* Both ways; @f: as the unwinder has it. */
static __no_kmsan_checks void kstack_check(struct pt_regs *regs, unsigned long handler, u32 depth,
			 struct kf_kwalk *w, struct kf_frames *f)
{
	struct kf_frames *other = this_cpu_ptr(w->steps->other);
	int as = walk(w, regs, depth, other);

	w->count[as]++;
	kf_kstack_unwind()(regs, handler, depth, w, f);
	if (as != KF_KWALK_LEARNT)
		return;
	if (same_frames(f, other))
		return;
	w->count[KF_KWALK_DIFFERS]++;
	if (test_and_set_bit(0, &w->steps->differs))
		return;
	copy_frames(&w->steps->first[0], other);
	copy_frames(&w->steps->first[1], f);
}

kf_kstack_fn *kf_kstack_learnt(void)
{
	return kf_ksteps_checked() ? kstack_check : kf_kstack_by_steps;
}

static void report_frames(const char *how, const struct kf_frames *f)
{
	u32 i;

	pr_warn("kflame: %s: %u frames, end %u\n", how, f->is.nr, f->is.end);
	for (i = 0; i < f->is.nr; i++)
		pr_warn("kflame:   %pS\n", (void *)(unsigned long)f->ip[i]);
}

/**
 * kf_kstack_report() - log what came of learning; may sleep
 * @k:		the session's, which was stopped
 * @count:	KF_KWALK_*, of all CPUs
 *
 * With learn_check how many walks by learnt steps differed, and the first one that did; what
 * was left to the unwinder, and why, only for who debugs the module (dyndbg=+p).
 */
void kf_kstack_report(const struct kf_ksteps *k, const u64 *count)
{
	pr_debug("kflame: kernel stacks: %llu by %llu learnt steps; left to the unwinder: %llu on another stack, %llu odd\n",
		 count[KF_KWALK_LEARNT], count[KF_KWALK_STEPS],
		 count[KF_KWALK_OTHER_STACK], count[KF_KWALK_ODD]);
	if (kf_ksteps_checked())
		pr_info("kflame: learn_check: %llu kernel stacks, %llu differ\n",
			count[KF_KWALK_LEARNT], count[KF_KWALK_DIFFERS]);
	if (!k->differs)
		return;
	report_frames("by learnt steps", &k->first[0]);
	report_frames("by the unwinder", &k->first[1]);
}

#else

kf_kstack_fn *kf_kstack_learnt(void)
{
	return NULL;
}

/* Never what a session has here */
void kf_kstack_by_steps(struct pt_regs *regs, unsigned long handler, u32 depth,
			struct kf_kwalk *w, struct kf_frames *f)
{
}

void kf_kstack_report(const struct kf_ksteps *k, const u64 *count)
{
}

#endif
