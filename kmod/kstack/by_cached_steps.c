// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_cached_steps.c - kernel stacks by cached steps of the kernel's unwinder, see
 * kstack/step_cache.h
 *
 * The frames are the same as those of kstack/by_unwinder.c. The fast walk handles only plain calls
 * of code of the image or a module, on the task's own stack, down to the entry from user mode or
 * the thread's start. On anything else the whole walk falls back to the unwinder.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <kflame.h>
#include "base/learn.h"
#include "kstack/caller_cache.h"
#include "kstack/kstack.h"
#include "kstack/step_cache.h"
#include "kstack/step_position.h"
#include "store/table.h"

#ifdef KF_HAVE_ORC_STATE

/*
 * Walk by cached steps.
 * Return: the counter for this walk: KF_KWALK_CACHED, or the reason why @f must not be used.
 */
static __always_inline int walk(struct kf_kwalk *w, const struct pt_regs *regs, u32 depth,
				struct kf_frames *f)
{
	const struct kf_bounds stack = kf_own_stack();
	struct kf_place p = { regs->ip, regs->sp, regs->bp };
	u64 step, *asked = &w->count[KF_KWALK_STEPS];
	/* The lookup by callers may have used one of the sample's questions to the unwinder. */
	const u64 enough = *asked + KF_STEPS_A_SAMPLE - 1;
	struct kf_ksteps *steps = kf_ksteps_of(w->cache);
	u64 *to = f->ip, *const full = f->ip + depth;
	u32 end = KFLAME_END_COMPLETE;
	enum kf_left left;

	w->whole = false;
	if (p.sp < stack.low || p.sp >= stack.high)
		return KF_KWALK_OTHER_STACK;
	if (!kf_is_on(&stack, p.sp))
		return KF_KWALK_UNSUPPORTED;
	step = kf_kstep(steps, p.ip, false, asked, enough);
	*to++ = p.ip;
	while ((left = kf_leave(step, &p, &stack)) == KF_LEFT) {
		if (unlikely(to == full)) {
			if (!kf_in_image(p.ip) && !kf_ktext_is_module(&steps->text, p.ip))
				return KF_KWALK_UNSUPPORTED;
			end = KFLAME_END_DEPTH;
			goto out;
		}
		step = kf_kstep(steps, p.ip, true, asked, enough);
		*to++ = p.ip;
	}
	if (left == KF_UNSUPPORTED || !kf_is_end(step, &p))
		return KF_KWALK_UNSUPPORTED;
	w->whole = to - f->ip > 1;
out:
	f->is = kf_shape(KFLAME_STACK_KERNEL, to - f->ip, end, KF_NO_CANDIDATE);
	return KF_KWALK_CACHED;
}

__no_kmsan_checks void kf_kstack_by_steps(struct pt_regs *regs, unsigned long handler, u32 depth,
					  struct kf_kwalk *w, struct kf_frames *f)
{
	int as = walk(w, regs, depth, f);

	w->count[as]++;
	if (unlikely(as != KF_KWALK_CACHED))
		kf_kstack_unwind()(regs, handler, depth, w, f);
}

/* ------------------------------------------------------------ storing callers */

/* Most words of a chain. A longer chain is not stored. */
#define CHAIN_WORDS	64U

/* A chain being made. @part: its last part, relative to @base. @bp_at: see struct kf_kpart */
struct making {
	union {
		u64 words[CHAIN_WORDS];
		struct kf_kchain chain;
	};
	unsigned int nr;
	struct kf_kpart *part;
	unsigned long base;
	s16 bp_at;
};

static struct kf_kcall *calls_of(struct kf_kpart *part)
{
	return (struct kf_kcall *)(part + 1);
}

/* Append @nr words. Return: NULL if there is no room. */
static void *add_words(struct making *m, unsigned int nr)
{
	if (nr > CHAIN_WORDS - m->nr)
		return NULL;
	m->nr += nr;
	return &m->words[m->nr - nr];
}

/* Begin a part. Return: false if there is no room. */
static bool add_part(struct making *m, unsigned long base)
{
	m->part = add_words(m, sizeof(*m->part) / sizeof(u64));
	if (!m->part)
		return false;
	*m->part = (struct kf_kpart){};
	m->base = base;
	m->bp_at = KF_KCHAIN_NONE;
	return true;
}

static bool add_call(struct making *m, const struct kf_place *p)
{
	struct kf_kcall *call = add_words(m, 1);

	if (!call)
		return false;
	*call = (struct kf_kcall){ .ip = p->ip, .at = p->sp - sizeof(long) - m->base };
	m->part->nr++;
	m->part->extent = p->sp - m->base;
	return true;
}

/* Complete the part. Its last call is repeated, because calls are compared in groups. */
static bool end_part(struct making *m)
{
	struct kf_kcall *call = calls_of(m->part), *more;

	while (m->part->nr % KF_KCHAIN_STRIDE) {
		more = add_words(m, 1);
		if (!more)
			return false;
		*more = call[m->part->nr++ - 1];
	}
	return true;
}

/*
 * Begin a part relative to bp, because @step goes by bp. @from: before the step; @p: after the step
 */
static bool turn_to_bp(struct making *m, const struct kf_place *from, const struct kf_place *p,
		       u64 step)
{
	unsigned long saved = kf_step_saved(step);

	m->part->bp_at = m->bp_at;
	m->part->above = from->sp - m->base;
	m->part->cfa = kf_step_cfa(step);
	if (!end_part(m) || !add_part(m, p->sp - sizeof(long)))
		return false;
	m->part->below = saved - (saved ? sizeof(long) : 0);
	if (saved)
		m->bp_at = sizeof(long) - saved;
	return true;
}

/* A call by sp may save bp, too: note where. */
static void note_saved(struct making *m, const struct kf_place *from, u64 step)
{
	if (kf_step_saved(step))
		m->bp_at = from->sp + kf_step_saved(step) - sizeof(long) - m->base;
}

/*
 * Repeat the rest of a walk by its cached steps, and store where they lead.
 * Return: false if the chain cannot be stored.
 */
static __no_kmsan_checks bool make(struct making *m, struct kf_kwalk *w, struct kf_place p,
				   const struct kf_bounds *stack)
{
	u64 *asked = &w->count[KF_KWALK_STEPS], step;
	struct kf_place from;

	if (!add_part(m, p.sp))
		return false;
	for (;;) {
		step = kf_kstep(kf_ksteps_of(w->cache), p.ip, true, asked, *asked);
		from = p;
		if (kf_leave(step, &p, stack) != KF_LEFT)
			break;
		if ((s64)step < 0)
			note_saved(m, &from, step);
		else if (!turn_to_bp(m, &from, &p, step))
			return false;
		if (!add_call(m, &p))
			return false;
	}
	if (!kf_is_end(step, &p) || step & KF_STEP_BY_BP)
		return false;
	m->chain.regs = (step & KF_STEP_KIND) == KF_STEP_END ? KF_KCHAIN_NONE :
							       kf_regs_by(step, &p) - m->base;
	m->part->last = true;
	return end_part(m);
}

/*
 * The second lookup of kf_kchain_from(). It is not inlined, so that the first one has enough
 * registers.
 */
__no_kmsan_checks noinline
u32 kf_kchain_other(const struct kf_kwalk *w, unsigned long ip, unsigned long sp, unsigned long bp,
		    unsigned long other)
{
	const u32 like = *kf_table_chain_place(w->chains, ip, other);
	const struct kf_bounds stack = kf_own_stack();
	const struct kf_place p = { ip, sp, bp };

	return kf_kchain_is(w, like, &p, &stack, &other) ? like : 0;
}

/*
 * Set the hint. The key is the first caller; if another chain has it, also the first caller that
 * differs.
 */
static __no_kmsan_checks
void place_chain(struct kf_kwalk *w, const struct kf_place *p, const struct kf_bounds *stack,
		 u32 like)
{
	u32 *hint = kf_table_chain_place(w->chains, p->ip, 0);
	unsigned long other;

	if (!kf_kchain_is(w, *hint, p, stack, &other) && other)
		hint = kf_table_chain_place(w->chains, p->ip, other);
	*hint = like;
}

/* Store the callers from @p on for stack @like, or store that it is impossible. */
static noinline __no_kmsan_checks
void write_down(struct kf_kwalk *w, struct kf_table *t, u32 like, const struct kf_place *p,
		const struct kf_bounds *stack, u32 generation)
{
	const unsigned int head = sizeof(struct kf_kchain) / sizeof(u64);
	struct making m;
	unsigned int i;
	u64 *to;

	/*
	 * Distances on a stack have 16 bits, one of them for the sign. Counts of calls have eight.
	 */
	BUILD_BUG_ON(THREAD_SIZE > S16_MAX + 1UL || CHAIN_WORDS + KF_KCHAIN_STRIDE > U8_MAX);
	m.chain = (struct kf_kchain){ .generation = generation };
	m.nr = head;
	if (make(&m, w, *p, stack)) {
		m.chain.ip = p->ip;
	} else {
		m.nr = head;
		add_part(&m, 0);
		m.part->extent = U16_MAX; /* larger than any stack, so it never matches */
	}
	to = kf_table_add_calls(t, like, m.nr);
	for (i = 0; to && i < m.nr; i++)
		to[i] = m.words[i];
}

/**
 * kf_kstack_note() - recognise a stack by its callers from now on
 * @w:		this CPU's; @w->whole is set
 * @regs:	the registers from which the stack was just walked
 * @t:		the table; the caller owns it
 * @stack:	id of the stack in @t
 *
 * Context: hard interrupt, interrupts off.
 */
__no_kmsan_checks
void kf_kstack_note(struct kf_kwalk *w, const struct pt_regs *regs, struct kf_table *t, u32 stack)
{
	const u32 generation = kf_ktext_generation(&kf_ksteps_of(w->cache)->text);
	const u32 like = t->stacks[stack - 1].like;
	const struct kf_kchain *there = t->stacks[like - 1].calls ? kf_kchain_of(t, like) : NULL;
	const struct kf_bounds own = kf_own_stack();
	struct kf_place p = { regs->ip, regs->sp, regs->bp };
	u64 *asked = &w->count[KF_KWALK_STEPS];

	if (kf_leave(kf_kstep(kf_ksteps_of(w->cache), p.ip, false, asked, *asked), &p, &own) != KF_LEFT)
		return;
	place_chain(w, &p, &own, like);
	if ((!there || there->generation != generation) && kf_table_takes_calls(t, CHAIN_WORDS))
		write_down(w, t, like, &p, &own, generation);
}

/* ------------------------------------------------------------ learn_check */

/*
 * Walk as without learn_check: match the callers, or walk by steps. Here the frames are copied in
 * both cases.
 */
static __no_kmsan_checks int walk_quickly(struct kf_kwalk *w, const struct pt_regs *regs, u32 depth,
					  struct kf_frames *f)
{
	const u32 like = w->chains ? kf_kchain_match(w, regs) : 0;

	if (!like)
		return walk(w, regs, depth, f);
	kf_kcheck_copy(w->chains, like, regs->ip, f);
	w->whole = false;
	w->count[KF_KWALK_MATCHED]++;
	return KF_KWALK_CACHED;
}

/* Walk both ways and compare. @f: out: the unwinder's result */
static __no_kmsan_checks void kstack_check(struct pt_regs *regs, unsigned long handler, u32 depth,
					   struct kf_kwalk *w, struct kf_frames *f)
{
	struct kf_frames *other = this_cpu_ptr(w->cache->other);
	int as = walk_quickly(w, regs, depth, other);

	w->count[as]++;
	kf_kstack_unwind()(regs, handler, depth, w, f);
	if (as == KF_KWALK_CACHED && !kf_kcheck_same(w->cache, w, other, f))
		w->whole = false;
}

kf_kstack_fn *kf_kstack_cached(void)
{
	return kf_learn_checks() ? kstack_check : kf_kstack_by_steps;
}

#elif !defined(CONFIG_ARM64)

kf_kstack_fn *kf_kstack_cached(void)
{
	return NULL;
}

/* No session uses these on this kernel. */
void kf_kstack_by_steps(struct pt_regs *regs, unsigned long handler, u32 depth,
			struct kf_kwalk *w, struct kf_frames *f)
{
}

void kf_kstack_note(struct kf_kwalk *w, const struct pt_regs *regs, struct kf_table *t, u32 stack)
{
}

#endif
