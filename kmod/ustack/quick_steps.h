/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quick_steps.h - steps of a walk by unwind tables, many at a time
 *
 * For most return addresses the rule fits into one word, which is cached beside the full rule. As
 * long as the walk meets such rules, a step takes two or three reads. Where an earlier walk stored
 * a part, its words are compared instead: see ustack/known_parts.h. All else falls back to
 * ustack/table_step.h.
 *
 * Context: the timer's hard interrupt, with user access open, so all is inlined.
 */
#ifndef KF_QUICK_STEPS_H
#define KF_QUICK_STEPS_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "ustack/known_parts.h"
#include "ustack/table_step.h"
#include "ustack/walk_state.h"

/* --------------------------------------------------------------- rules in one word */

/*
 * A rule in one word. Three fields say how far below the CFA the return address, the frame pointer
 * and KFLAME_BASE_REG are (0: the register is not saved). One field says how far the CFA is above
 * sp (KF_QUICK_BY_SP) or above the frame pointer (KF_QUICK_BY_FP). KF_QUICK_RECORD: there is no
 * rule, and the step uses a frame record. 0: the rule does not fit.
 */
#define KF_QUICK_BY_SP	BIT_ULL(63)
#define KF_QUICK_BY_FP	BIT_ULL(62)
#define KF_QUICK_RECORD	BIT_ULL(61)
#define KF_QUICK_BASE_SHIFT 48
#define KF_QUICK_BASE	GENMASK_ULL(12, 0)
#define KF_QUICK_CFA_SHIFT	32
#define KF_QUICK_RA_SHIFT	16
#define KF_QUICK_BYTES	GENMASK_ULL(15, 0)

static __always_inline u64 kf_quick_word(u64 kind, u64 cfa, u64 ra, u64 fp, u64 base)
{
	BUILD_BUG_ON(sizeof(struct kf_uknown) != 64);
	BUILD_BUG_ON(KF_QUICK_BASE << KF_QUICK_BASE_SHIFT &
		     (KF_QUICK_RECORD | KF_QUICK_BY_FP | KF_QUICK_BY_SP));
	if ((cfa | ra | fp) > KF_QUICK_BYTES || base > KF_QUICK_BASE || (cfa | ra | fp | base) & 7)
		return 0;
	return kind | base << KF_QUICK_BASE_SHIFT | cfa << KF_QUICK_CFA_SHIFT |
	       ra << KF_QUICK_RA_SHIFT | fp;
}

static __always_inline unsigned long kf_quick_bytes(u64 quick, unsigned int shift)
{
	return quick >> shift & KF_QUICK_BYTES;
}

/* Where the architecture fixes the return address, the distance is a constant. */
static __always_inline unsigned long kf_quick_ra(u64 quick)
{
	return kf_ra_below_cfa ?: kf_quick_bytes(quick, KF_QUICK_RA_SHIFT);
}

static __always_inline u64 kf_quick_rule(const struct kflame_rule *r)
{
	const u64 cfa = (s64)r->cfa_offset, ra = -(s64)r->ra_offset;
	const u64 fp = r->fp == KFLAME_IN_SAME ? 0 : -(s64)r->fp_offset;
	const u64 base = -(s64)r->base_offset;

	if (!kf_is_plain_rule(r) || r->base_offset == KFLAME_BASE_LOST || !ra ||
	    (kf_ra_below_cfa != 0 && ra != kf_ra_below_cfa) || (r->fp != KFLAME_IN_SAME && !fp))
		return 0;
	if (r->cfa == KFLAME_CFA_FP)
		return kf_quick_word(KF_QUICK_BY_FP, cfa, ra, fp, base);
	/* By sp, saved words must lie between sp and the CFA. By fp, each step checks that. */
	return ra > cfa || fp > cfa ? 0 : kf_quick_word(KF_QUICK_BY_SP, cfa, ra, fp, base);
}

static __always_inline u64 kf_quick_of(u32 how, const struct kflame_rule *rule)
{
	if (how == KF_BY_RULE)
		return kf_quick_rule(rule);
	/* The next step may need sp, so sp must be known after this step. */
	if (how != KF_BY_FP || !kf_cfa_behind_record)
		return 0;
	return kf_quick_word(KF_QUICK_BY_FP | KF_QUICK_RECORD, 2 * sizeof(long), sizeof(long),
			     2 * sizeof(long), 0);
}

/* ---------------------------------------------------------------------- many steps */

/*
 * The CFA from the frame pointer, which may have any value.
 * Return: 0 if the CFA, or a word saved below it, is not above @sp.
 */
static __always_inline unsigned long kf_quick_cfa_by_fp(u64 quick, unsigned long sp, unsigned long fp)
{
	unsigned long cfa = fp + kf_quick_bytes(quick, KF_QUICK_CFA_SHIFT);

	if (!(quick & KF_QUICK_BY_FP) || cfa & 7 || cfa <= sp ||
	    cfa - sp < kf_quick_ra(quick) || cfa - sp < kf_quick_bytes(quick, 0))
		return 0;
	return cfa;
}

/* The return address cannot be read. Count one step, which ends the walk. */
static __always_inline u32 kf_quick_fault(u64 quick, struct kf_usteps *n)
{
	n->known++;
	if ((s64)quick >= 0 && quick & KF_QUICK_RECORD)
		n->fp++;
	else
		n->table++;
	return KFLAME_END_FAULT;
}

/*
 * From a return address on, make steps as long as they are cached and quick. Stop at @stop or at a
 * boundary of parts, see ustack/known_parts.h. @c: store the steps there; may be NULL. A quick step
 * takes half of the instructions of step(). On any other or failing step the function stops before
 * it, and step() makes it.
 * Return: KF_GO_ON at @stop or a boundary; KF_NOT_PLAIN; KF_NOT_KNOWN; KFLAME_END_FAULT.
 */
static __always_inline u32 kf_quick_part(const struct kf_uspace *s, struct kf_uplace *p, u64 **at,
					 const u64 *stop, unsigned long span, struct kf_uchain *c,
					 struct kf_usteps *n)
{
	const struct kf_uknown *const known = s->cpu->known;
	unsigned long ip = p->ip, sp = p->sp, fp = p->fp, cfa, ra, saved;
	const unsigned long edge = sp | (KF_UCHAIN_STACK - 1);
	const u64 aspace = s->aspace;
	u64 *to = *at, quick = 0;
	u32 records = 0, end = KF_NOT_PLAIN;
	unsigned long base;

	do {
		const u64 place = (u64)ip << 1;
		const struct kf_uknown *k = &known[hash_64(place + aspace, KF_UKNOWN_BITS)];

		quick = k->quick;
		if (unlikely(k->place != place || k->aspace != aspace)) {
			end = KF_NOT_KNOWN;
			goto out;
		}
		cfa = sp + kf_quick_bytes(quick, KF_QUICK_CFA_SHIFT);
		if (unlikely((s64)quick >= 0))
			cfa = kf_quick_cfa_by_fp(quick, sp, fp);
		if (unlikely(!kf_is_user(cfa, span)))
			goto out;
		cfa = kf_user_nospec(cfa, span);
		KF_READ_WORD(cfa - kf_quick_ra(quick), ra, fault);
		if (unlikely(!kf_is_user(kf_strip_pac(ra), span)))
			goto out;
		saved = fp;
		if (kf_quick_bytes(quick, 0))
			KF_READ_WORD(cfa - kf_quick_bytes(quick, 0), saved, out);
		/* The step can no longer fail. */
		if (c && (s64)quick >= 0)
			kf_uchain_go_by_fp(c);
		if (c && kf_quick_bytes(quick, 0))
			kf_uchain_add_saved(c, cfa - kf_quick_bytes(quick, 0), saved);
		fp = saved;
		base = quick >> KF_QUICK_BASE_SHIFT & KF_QUICK_BASE;
		if (base) {
			p->saved = cfa - base;
			p->base_lost = false;
			if (c)
				kf_uchain_base(c, KF_UCHAIN_BASE_SAVED, p->saved);
		}
		/* After a step by frame record it is unknown where KFLAME_BASE_REG was saved. */
		if (unlikely((s64)quick >= 0) && quick & KF_QUICK_RECORD) {
			p->base_lost = true;
			records++;
			if (c)
				kf_uchain_base(c, KF_UCHAIN_BASE_LOST, 0);
		}
		if (c)
			kf_uchain_add(c, cfa - kf_quick_ra(quick), ra);
		ip = kf_strip_pac(ra);
		sp = cfa;
		*to++ = ip;
	} while (likely(to < stop && sp <= edge));
	end = KF_GO_ON;
	goto out;
fault:
	end = kf_quick_fault(quick, n);
out:
	n->known += to - *at;
	n->table += to - *at - records;
	n->fp += records;
	*at = to;
	p->ip = ip;
	p->sp = sp;
	p->fp = fp;
	if (c)
		c->records = records;
	return end;
}

/* All words of @c have their stored values: continue where the part ends. */
static __always_inline void kf_take_chain(struct kf_uchain *c, struct kf_uplace *p, u64 **at,
					  struct kf_usteps *n)
{
	n->known += c->nr;
	n->table += c->nr - c->records;
	n->fp += c->records;
	n->again += c->nr;
	*at += c->nr;
	p->ip = (*at)[-1];
	p->sp = c->sp;
	if (c->nr_saved)
		p->fp = c->fp;
	if (c->base != KF_UCHAIN_BASE_AS_IT_WAS) {
		p->saved = c->saved;
		p->base_lost = c->base == KF_UCHAIN_BASE_LOST;
	}
	c->used = true;
}

/* Walk one part of a stack, by comparing if it is stored. Return: as kf_quick_part(). */
static __always_inline u32 kf_go_chain(const struct kf_uspace *s, struct kf_uplace *p, u64 **at,
				       const u64 *full, unsigned long span, struct kf_usteps *n)
{
	const struct kf_uchain_place place = {
		.aspace = s->aspace, .ip = p->ip, .sp = p->sp, .fp = p->fp,
	};
	const u64 *stop = min(full, (const u64 *)*at + KF_UCHAIN_FRAMES);
	struct kf_uchain *c = kf_uchain_at(s->cpu->chains, &place);
	enum kf_uchain_is is;
	u32 end;

	if (unlikely(!kf_uchain_is_from(c, &place))) {
		kf_uchain_meet(c, &place);
		return kf_quick_part(s, p, at, stop, span, NULL, n);
	}
	/* The comparison writes @c->nr_ra words. Without room for them walk the steps. */
	if (unlikely(c->nr && c->nr_ra > full - *at))
		return kf_quick_part(s, p, at, stop, span, NULL, n);
	is = c->nr ? kf_uchain_is(c, *at) : KF_UCHAIN_CHANGED;
	if (likely(is == KF_UCHAIN_AS_IT_WAS)) {
		kf_take_chain(c, p, at, n);
		return c->last ? KF_NOT_PLAIN : KF_GO_ON;
	}
	n->cold = is == KF_UCHAIN_FAULT;
	kf_uchain_begin(c, p->fp);
	end = kf_quick_part(s, p, at, stop, span, c, n);
	/* After KF_NOT_KNOWN the part may go on the next time: the answer will be cached then. */
	kf_uchain_end(c, p->sp, p->fp, end == KF_NOT_PLAIN || end == KFLAME_END_FAULT);
	return end;
}

/*
 * From a return address on, walk as far as quick steps lead.
 * Return: KF_GO_ON: step() makes the next step; or KFLAME_END_FAULT.
 */
static __always_inline u32 kf_go_quickly(const struct kf_uspace *s, struct kf_uplace *p, u32 depth,
					 unsigned long span, struct kf_frames *f, struct kf_usteps *n)
{
	u64 *to = &f->ip[n->nr];
	const u64 *full = &f->ip[depth];
	u32 end = KF_GO_ON;

	/* All that lies between sp and the CFA is user memory if both are. */
	if (p->fp_lost || kf_is_sp_lost(p) || !kf_is_record(p->sp, span))
		return KF_GO_ON;
	while (end == KF_GO_ON && likely(to < full))
		end = s->aspace && s->cpu->chains && !n->cold ?
		      kf_go_chain(s, p, &to, full, span, n) :
		      kf_quick_part(s, p, &to, full, span, NULL, n);
	n->nr = to - f->ip;
	return end == KFLAME_END_FAULT ? end : KF_GO_ON;
}

#endif
