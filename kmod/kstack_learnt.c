// SPDX-License-Identifier: GPL-2.0-only
/*
 * kstack_learnt.c - kernel stacks by learnt steps of the kernel's unwinder, see ksteps.h
 *
 * The same frames as those of kstack_unwind.c, or else the walk is its: what is not plain calls
 * of the image's code on the task's own stack, down to where user mode or the thread began, is
 * left to it as a whole.
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

static __always_inline unsigned long cfa_of(u64 step, unsigned long sp, unsigned long bp)
{
	unsigned long cfa = (step >> KF_STEP_CFA_SHIFT & KF_STEP_WORDS) * sizeof(long);

	/* One of two that the CPU foresees, and the second one is rare. */
	if (unlikely(step & KF_STEP_BY_BP))
		return cfa + bp;
	return cfa + sp;
}

/* Is this where the task came from user mode, or began? */
static __always_inline bool is_end(u64 step, unsigned long sp, unsigned long bp)
{
	unsigned long regs = (unsigned long)task_pt_regs(current);

	if (step & KF_STEP_END)
		return true;
	if (!(step & KF_STEP_REGS) || cfa_of(step, sp, bp) != regs)
		return false;
	/* Of user mode; in the vsyscall page, what the unwinder says is its own affair. */
	return word_at(regs + offsetof(struct pt_regs, cs)) & 3 &&
	       (long)word_at(regs + offsetof(struct pt_regs, ip)) >= 0;
}

/*
 * Walk. Every read lies on the task's stack, every frame above the one before it.
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
	u32 nr = 0;

	if (sp < low || sp >= high)
		return KF_KWALK_OTHER_STACK;
	if (!kf_in_image(ip))
		return KF_KWALK_ODD;
	f->ip[nr++] = ip;
	f->end = KFLAME_END_COMPLETE;
	for (step = kf_kstep(steps, ip, false, learnt, enough); !(step & KF_STEP_KIND);
	     step = kf_kstep(steps, ip, true, learnt, enough)) {
		cfa = cfa_of(step, sp, bp);
		if (cfa <= sp || cfa > high || cfa % sizeof(long))
			return KF_KWALK_ODD;
		ip = word_at(cfa - sizeof(long));
		saved = (step >> KF_STEP_SAVED_SHIFT & KF_STEP_WORDS) * sizeof(long);
		if (saved) {
			if (cfa - saved < low)
				return KF_KWALK_ODD;
			bp = word_at(cfa - saved);
		}
		sp = cfa;
		if (!kf_in_image(ip))
			return KF_KWALK_ODD;
		if (nr == depth) {
			f->end = KFLAME_END_DEPTH;
			goto out;
		}
		f->ip[nr++] = ip;
	}
	if (!is_end(step, sp, bp))
		return KF_KWALK_ODD;
out:
	f->nr = nr;
	f->candidate = KFLAME_NO_CANDIDATE;
	return KF_KWALK_LEARNT;
}

static __no_kmsan_checks void kstack_learnt(struct pt_regs *regs, unsigned long handler, u32 depth,
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
	return a->nr == b->nr && a->end == b->end && a->candidate == b->candidate &&
	       !memcmp(a->ip, b->ip, sizeof(*a->ip) * a->nr);
}

static void copy_frames(struct kf_frames *to, const struct kf_frames *from)
{
	to->nr = from->nr;
	to->end = from->end;
	to->candidate = from->candidate;
	memcpy(to->ip, from->ip, sizeof(*from->ip) * from->nr);
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
	return kf_ksteps_checked() ? kstack_check : kstack_learnt;
}

static void report_frames(const char *how, const struct kf_frames *f)
{
	u32 i;

	pr_warn("kflame: %s: %u frames, end %u\n", how, f->nr, f->end);
	for (i = 0; i < f->nr; i++)
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

void kf_kstack_report(const struct kf_ksteps *k, const u64 *count)
{
}

#endif
