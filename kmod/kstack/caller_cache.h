/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller_cache.h - a kernel stack that is recognised by its callers, without a walk (x86)
 *
 * Hot code is hot at many addresses, and these share a chain of callers. The chain's return
 * addresses lie on the stack at the same distances each time: from where the chain begins, or from
 * bp where the stack was aligned or moved by a random offset. The first walk of a chain stores the
 * distances and the addresses beside the frames in the table. A later sample with the same
 * innermost caller reads all of these words again. If all are equal, so are the callers. Nothing is
 * assumed: every return address is read. The first address that differs is the caller there, and is
 * the key of the next lookup.
 *
 * A chain is made of cached steps, so it is valid as long as the code is. A chain through module
 * code carries the generation of kstack/module_text.h and is ignored in the next one.
 *
 * Ownership: the table's, see kf_table_add_calls(). Context: as kstack/kstack.h.
 */
#ifndef KF_CALLER_CACHE_H
#define KF_CALLER_CACHE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "kstack/kstack.h"
#include "kstack/step_position.h"
#include "store/table.h"

/* A return address (its sign-extended lower half), and its distance from the base */
struct kf_kcall {
	s32 ip;
	u16 at;
	u16 pad;
};

/* Calls are compared in groups of this size. The last call is repeated to fill the last group. */
#define KF_KCHAIN_STRIDE	2U

/* No position: positions on a stack are multiples of 8. */
#define KF_KCHAIN_NONE		((s16)1)

/**
 * struct kf_kpart - calls at distances from one base
 * @extent:	how far above the base the part reads
 * @below:	how far below base + 8 it reads
 * @bp_at:	where the next part's bp was saved, from the base; KF_KCHAIN_NONE: bp is unchanged
 * @above:	the stack pointer at the part's end, from the base: the next CFA must be above it
 * @cfa:	distance from bp to the next CFA; the next base is 8 less than the CFA
 * @nr:		calls, including the repeated one; they follow the struct
 * @last:	this is the last part
 * @pad:	aligns the calls, which are compared as words
 */
struct kf_kpart {
	u16 extent;
	u16 below;
	s16 bp_at;
	u16 above;
	u16 cfa;
	u8 nr;
	bool last;
	u32 pad;
};

/**
 * struct kf_kchain - the callers of a stack behind the first one
 * @generation:	of modules
 * @ip:		the first caller; 0 if its callers could not be stored: then the only part matches
 *		no stack
 * @regs:	where the registers of user mode are, from the last base; KF_KCHAIN_NONE: the thread
 *		began there
 * @pad:	aligns the parts
 *
 * The parts follow the struct. The first base is the stack pointer in the first caller.
 */
struct kf_kchain {
	u32 generation;
	s32 ip;
	s16 regs;
	u16 pad[3];
};

/* The chain of a stack that has stored callers */
static __always_inline const struct kf_kchain *kf_kchain_of(const struct kf_table *t, u32 stack)
{
	return (const struct kf_kchain *)&t->frames[t->stacks[stack - 1].calls];
}

#ifdef KF_HAVE_ORC_STATE

/*
 * Are all these return addresses on the stack? @nr: a multiple of KF_KCHAIN_STRIDE
 * Return: the first call that differs, NULL if none does.
 */
static __always_inline const struct kf_kcall *other_call(const struct kf_kcall *c, u32 nr,
							 unsigned long base)
{
	const struct kf_kcall *const end = c + nr;

	BUILD_BUG_ON(KF_KCHAIN_STRIDE != 2);
	for (; c != end; c += KF_KCHAIN_STRIDE) {
		if (unlikely(kf_kstack_word(base + c[0].at) != (long)c[0].ip))
			return c;
		if (unlikely(kf_kstack_word(base + c[1].at) != (long)c[1].ip))
			return c + 1;
	}
	return NULL;
}

/*
 * The base of the next part, by bp, which may have any value.
 * Return: the next base; 0 if the walk would fall back to the unwinder there.
 */
static __always_inline unsigned long next_base(const struct kf_kpart *part, unsigned long base,
					       unsigned long *bp)
{
	unsigned long cfa;

	if (part->bp_at != KF_KCHAIN_NONE)
		*bp = kf_kstack_word(base + part->bp_at);
	cfa = *bp + part->cfa;
	return likely(cfa > base + part->above && !(cfa % sizeof(long))) ? cfa - sizeof(long) : 0;
}

/*
 * Would a walk by steps from here find the callers of stack @like? The function does each read of
 * that walk.
 * @other: out, if not: the first caller that differs, or 0
 */
static __always_inline bool kf_kchain_is(const struct kf_kwalk *w, u32 like,
					 const struct kf_place *p, const struct kf_bounds *stack,
					 unsigned long *other)
{
	unsigned long base = p->sp, bp = p->bp;
	const struct kf_kchain *c;
	const struct kf_kcall *calls, *differs;
	const struct kf_kpart *part;

	*other = 0;
	if (unlikely(!like || !w->chains->stacks[like - 1].calls))
		return false;
	c = kf_kchain_of(w->chains, like);
	if (unlikely((long)c->ip != (long)p->ip ||
		     c->generation != (u32)READ_ONCE(kf_ksteps_of(w->cache)->text.generation)))
		return false;
	for (part = (const void *)(c + 1);; part = (const void *)(calls + part->nr)) {
		calls = (const void *)(part + 1);
		/*
		 * bp may have led anywhere. The comparisons are written so that no sum wraps
		 * around.
		 */
		if (unlikely(base > stack->high - part->extent ||
			     base < stack->low + part->below))
			return false;
		differs = other_call(calls, part->nr, base);
		if (unlikely(differs)) {
			*other = kf_kstack_word(base + differs->at);
			return false;
		}
		if (part->last)
			break;
		base = next_base(part, base, &bp);
		if (unlikely(!base))
			return false;
	}
	return c->regs == KF_KCHAIN_NONE || kf_is_entry(base + c->regs);
}

u32 kf_kchain_other(const struct kf_kwalk *w, unsigned long ip, unsigned long sp, unsigned long bp,
		    unsigned long other);

/*
 * Find a stack with the callers from @p on. Return: its id, 0 if none of the candidates has them.
 */
static __always_inline u32 kf_kchain_from(const struct kf_kwalk *w, const struct kf_place *p,
					  const struct kf_bounds *stack)
{
	const u32 like = *kf_table_chain_place(w->chains, p->ip, 0);
	unsigned long other;

	if (likely(kf_kchain_is(w, like, p, stack, &other)))
		return like;
	return other ? kf_kchain_other(w, p->ip, p->sp, p->bp, other) : 0;
}

/*
 * kf_kstack_match() on x86. If the step of the interrupted address is not cached, ask the unwinder.
 */
static __always_inline u32 kf_kchain_match(struct kf_kwalk *w, const struct pt_regs *regs)
{
	const struct kf_bounds stack = kf_own_stack();
	struct kf_place p = { regs->ip, regs->sp, regs->bp };
	u64 step, *asked = &w->count[KF_KWALK_STEPS];

	if (unlikely(!kf_is_on(&stack, p.sp)))
		return 0;
	step = kf_kstep(kf_ksteps_of(w->cache), p.ip, false, asked, *asked + 1);
	return likely(kf_leave(step, &p, &stack) == KF_LEFT) ? kf_kchain_from(w, &p, &stack) : 0;
}

#endif

#endif
