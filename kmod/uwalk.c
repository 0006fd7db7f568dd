// SPDX-License-Identifier: GPL-2.0-only
/*
 * uwalk.c - user stacks by unwind tables, see uwalk.h
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "uchain.h"
#include "ustack_leaf.h"
#include "ustack_read.h"
#include "utables.h"
#include "uwalk.h"

/* How a place is left: by a KFLAME_END_*, or one of these. */
enum how {
	BY_RULE = KFLAME_END_MASK + 1,
	BY_FP,
	GO_ON,			/* a step was made */
	NOT_PLAIN,
	NOT_KNOWN,		/* nothing is remembered of this place, for now */
};

/**
 * struct place - where a walk is
 * @ip:		program counter, or return address
 * @sp:		stack pointer
 * @fp:		frame pointer
 * @regs:	the interrupted registers, while they are this frame's; else NULL
 * @sigcontext:	user address of the registers, where a signal interrupted this frame; else 0
 * @saved:	user address where KFLAME_BASE_REG of this frame is; 0: it still is in @base_regs
 * @base_regs:	the interrupted registers; NULL once a signal frame was passed
 * @base_signal: registers of the last signal frame that was passed
 * @fp_lost:	@fp is not known
 * @base_lost:	nor is KFLAME_BASE_REG
 * @faults:	frame pointers that could not be read
 */
struct place {
	unsigned long ip;
	unsigned long sp;
	unsigned long fp;
	struct pt_regs *regs;
	unsigned long sigcontext;
	unsigned long saved;
	struct pt_regs *base_regs;
	unsigned long base_signal;
	bool fp_lost;
	bool base_lost;
	u32 faults;
};

/* Each is a page fault in the handler. */
#define MAX_FAULTS	8U

/* Is @ip where it was interrupted, not where a call returns to? */
static __always_inline bool is_exact(const struct place *p)
{
	return p->regs || p->sigcontext;
}

/*
 * One walk: how many frames it has, which of them is a candidate, and its steps by what showed the
 * way; @known: of them, without a search; @again: of these, as they were before. @cold: what was
 * written down is not to be used any more: it would be read where the walk would not.
 */
struct steps {
	u32 nr;
	u32 candidate;
	struct kf_leaf *leaf;
	u32 table;
	u32 fp;
	u32 known;
	u32 again;
	u32 pending;
	bool cold;
};

static __always_inline void count_steps(struct kf_uwalk *w, const struct steps *n)
{
	w->again += n->again;
	w->count[0] += n->table;
	w->count[KFLAME_STAT_STEPS_FP - KFLAME_STAT_STEPS_TABLE] += n->fp;
	w->count[KFLAME_STAT_STEPS_KNOWN - KFLAME_STAT_STEPS_TABLE] += n->known;
	w->count[KFLAME_STAT_PENDING - KFLAME_STAT_STEPS_TABLE] += n->pending;
}

/* -------------------------------------------------------- how to go on from here */

/* What a file's table says; *rule is set with BY_RULE. */
static __always_inline u32 ask_table(const struct kf_uspace *s, const struct kf_umap *map,
				     u64 ip, bool exact, const struct kflame_rule **rule)
{
	const struct kf_utable *t = kf_utables_find(s->tables, map->file);
	const struct kflame_rule *r;

	if (!t)
		return KFLAME_END_PENDING;
	if (t->flags & KFLAME_TABLE_NONE)
		return s->uway == KFLAME_UWAY_AUTO ? BY_FP : KFLAME_END_NO_RULE;
	if (s->uway == KFLAME_UWAY_AUTO && !exact && (t->flags & KFLAME_TABLE_FP))
		return BY_FP;
	r = kf_utable_rule(t, ip - map->start + map->offset);
	if (!r || r->cfa == KFLAME_CFA_NONE)
		return s->uway == KFLAME_UWAY_AUTO && (t->flags & KFLAME_TABLE_PART) ?
			BY_FP : KFLAME_END_NO_RULE;
	if (r->cfa == KFLAME_CFA_END)
		return KFLAME_END_COMPLETE;
	*rule = r;
	return BY_RULE;
}

static __always_inline u32 find_out(const struct kf_uspace *s, u64 ip, bool exact,
				    const struct kflame_rule **rule)
{
	struct kf_umap map;

	if (!s->run->known)
		return KFLAME_END_PENDING;
	if (!kf_umaps_find(s->maps, s->run, ip, &map))
		return s->run->part || kf_umaps_gone(s->maps, s->run) ?
			KFLAME_END_PENDING : KFLAME_END_NO_MAP;
	if (map.file == KF_UMAP_NO_FILE)
		return BY_FP;
	return ask_table(s, &map, ip, exact, rule);
}

/* What is remembered of a place is here, if anything is. */
static __always_inline struct kf_uknown *place_of(const struct kf_uspace *s, u64 place)
{
	return &s->cpu->known[hash_64(place + s->aspace, KF_UKNOWN_BITS)];
}

static __always_inline bool is_plain(const struct kflame_rule *r)
{
	return (r->cfa == KFLAME_CFA_SP || r->cfa == KFLAME_CFA_FP) &&
	       r->ra == KFLAME_IN_CFA && (r->fp == KFLAME_IN_SAME || r->fp == KFLAME_IN_CFA);
}

/*
 * How a return address is left, in one word: how far below the CFA the return address, the frame
 * pointer and KFLAME_BASE_REG are (0: it is not saved), and how far the CFA is above sp; or above the
 * frame pointer; or the latter because there is a frame record, and no rule. 0: none of these.
 */
#define QUICK_BY_SP	BIT_ULL(63)
#define QUICK_BY_FP	BIT_ULL(62)
#define QUICK_RECORD	BIT_ULL(61)
#define QUICK_BASE_SHIFT 48
#define QUICK_BASE	GENMASK_ULL(12, 0)
#define QUICK_CFA_SHIFT	32
#define QUICK_RA_SHIFT	16
#define QUICK_BYTES	GENMASK_ULL(15, 0)

static __always_inline u64 quick_word(u64 kind, u64 cfa, u64 ra, u64 fp, u64 base)
{
	BUILD_BUG_ON(sizeof(struct kf_uknown) != 64);
	BUILD_BUG_ON(QUICK_BASE << QUICK_BASE_SHIFT & (QUICK_RECORD | QUICK_BY_FP | QUICK_BY_SP));
	if (cfa > QUICK_BYTES || ra > QUICK_BYTES || fp > QUICK_BYTES || base > QUICK_BASE ||
	    (cfa | ra | fp | base) & 7)
		return 0;
	return kind | base << QUICK_BASE_SHIFT | cfa << QUICK_CFA_SHIFT |
	       ra << QUICK_RA_SHIFT | fp;
}

static __always_inline unsigned long quick_bytes(u64 quick, unsigned int shift)
{
	return quick >> shift & QUICK_BYTES;
}

/* Where nearly all have their return address nothing has to be taken from the word. */
static __always_inline unsigned long quick_ra(u64 quick)
{
	return kf_ra_below_cfa ?: quick_bytes(quick, QUICK_RA_SHIFT);
}

static __always_inline u64 quick_rule(const struct kflame_rule *r)
{
	const u64 cfa = (s64)r->cfa_offset, ra = -(s64)r->ra_offset;
	const u64 fp = r->fp == KFLAME_IN_SAME ? 0 : -(s64)r->fp_offset;
	const u64 base = -(s64)r->base_offset;

	if (!is_plain(r) || r->base_offset == KFLAME_BASE_LOST || !ra ||
	    (kf_ra_below_cfa != 0 && ra != kf_ra_below_cfa) || (r->fp != KFLAME_IN_SAME && !fp))
		return 0;
	if (r->cfa == KFLAME_CFA_FP)
		return quick_word(QUICK_BY_FP, cfa, ra, fp, base);
	/* By sp all is between that and the CFA; by fp each step looks. */
	return ra > cfa || fp > cfa ? 0 : quick_word(QUICK_BY_SP, cfa, ra, fp, base);
}

static __always_inline u64 quick_of(u32 how, const struct kflame_rule *rule)
{
	if (how == BY_RULE)
		return quick_rule(rule);
	return how == BY_FP ? quick_word(QUICK_BY_FP | QUICK_RECORD, 2 * sizeof(long), sizeof(long),
					 2 * sizeof(long), 0) : 0;
}

static __always_inline void remember(const struct kf_uspace *s, u64 place, u32 how,
				     const struct kflame_rule *rule)
{
	struct kf_uknown *k = place_of(s, place);

	/* What may be another thing the next time is not remembered, nor is who has no number. */
	if (how == KFLAME_END_PENDING || !s->aspace || s->run->part)
		return;
	k->aspace = s->aspace;
	k->place = place;
	k->how = how;
	k->plain = how == BY_RULE && is_plain(rule);
	k->quick = quick_of(how, rule);
	if (how == BY_RULE)
		k->rule = *rule;
}

/* --------------------------------------------------------------------- one step */

/* A register that is neither sp nor fp; false: it is not known in this frame. */
static __always_inline bool read_reg(const struct place *p, u32 reg, unsigned long span,
				     unsigned long *value)
{
	bool is_base = reg == KFLAME_BASE_REG && !p->base_lost;
	struct pt_regs *regs = is_base && !p->saved ? p->base_regs : p->regs;
	unsigned long signal = is_base ? p->base_signal : p->sigcontext;
	unsigned long at = is_base && p->saved ? p->saved : signal + kf_sigcontext_reg(reg);

	if (regs) {
		*value = kf_user_reg(regs, reg);
		return true;
	}
	if ((!signal && !(is_base && p->saved)) || !kf_is_record(at, span))
		return false;
	KF_READ_WORD(at, *value, fault);
	return true;
fault:
	return false;
}

/* The frame that a signal interrupted: its registers are on the stack. */
static __always_inline u32 step_signal(struct place *p, s32 offset, unsigned long span)
{
	unsigned long at = p->sp + offset;

	if (!kf_is_record(at, span - KF_SIGCONTEXT_BYTES))
		return KFLAME_END_BAD_CFA;
	KF_READ_WORD(at + KF_SIGCONTEXT_IP, p->ip, fault);
	KF_READ_WORD(at + KF_SIGCONTEXT_SP, p->sp, fault);
	KF_READ_WORD(at + KF_SIGCONTEXT_FP, p->fp, fault);
	p->regs = p->base_regs = NULL;
	p->sigcontext = p->base_signal = at;
	p->saved = 0;
	p->fp_lost = p->base_lost = false;
	return GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* The canonical frame address; GO_ON or KFLAME_END_*. */
static __always_inline u32 read_cfa(const struct place *p, const struct kflame_rule *r,
				    unsigned long span, unsigned long *cfa)
{
	unsigned long at = 0;

	switch (r->cfa) {
	case KFLAME_CFA_CLONE:
		if (!read_reg(p, 0, span, &at) || !at)
			return KFLAME_END_COMPLETE;
		fallthrough;
	case KFLAME_CFA_SP:
		*cfa = p->sp + r->cfa_offset;
		return GO_ON;
	case KFLAME_CFA_FP:
		*cfa = p->fp + r->cfa_offset;
		return p->fp_lost ? KFLAME_END_BAD_CFA : GO_ON;
	case KFLAME_CFA_REG:
		if (!read_reg(p, r->reg, span, cfa))
			return KFLAME_END_BAD_CFA;
		*cfa += r->cfa_offset;
		return GO_ON;
	case KFLAME_CFA_PLT:
		*cfa = p->sp + 8 + ((p->ip & 15) >= r->cfa_offset ? 8 : 0);
		return GO_ON;
	case KFLAME_CFA_AT_FP:
		if (p->fp_lost)
			return KFLAME_END_BAD_CFA;
		at = p->fp + r->cfa_offset;
		break;
	default: /* KFLAME_CFA_AT_SP */
		at = p->sp + r->cfa_offset;
		break;
	}
	if (!kf_is_record(at, span))
		return KFLAME_END_BAD_CFA;
	KF_READ_WORD(at, *cfa, fault);
	*cfa += r->cfa_add;
	return GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* What the caller had in a register; GO_ON or KFLAME_END_*. */
static __always_inline u32 read_saved(const struct place *p, u8 in, s32 offset, u32 reg,
				      unsigned long cfa, unsigned long span,
				      unsigned long *value)
{
	unsigned long at;

	switch (in) {
	case KFLAME_IN_CFA:
		at = cfa + offset;
		break;
	case KFLAME_IN_SP:
		at = p->sp + offset;
		break;
	case KFLAME_IN_FP:
		if (p->fp_lost)
			return KFLAME_END_BAD_CFA;
		at = p->fp + offset;
		break;
	default: /* KFLAME_IN_REG; of return addresses, KFLAME_IN_SAME */
		return read_reg(p, reg, span, value) ? GO_ON : KFLAME_END_BAD_CFA;
	}
	if (!kf_is_record(at, span))
		return KFLAME_END_BAD_CFA;
	KF_READ_WORD(at, *value, fault);
	return GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* Where the caller's KFLAME_BASE_REG is. */
static __always_inline void pass_base(struct place *p, s32 offset, unsigned long cfa)
{
	p->base_lost = offset == KFLAME_BASE_LOST;
	if (!p->base_lost)
		p->saved = cfa + offset;
}

/* The caller by a table's rule; GO_ON or KFLAME_END_*. */
static __always_inline u32 step_by_rule(struct place *p, const struct kflame_rule *r,
					unsigned long span)
{
	unsigned long cfa = 0, ip = 0, fp = p->fp;
	bool lost = p->fp_lost;
	u32 end;

	if (r->cfa == KFLAME_CFA_SIGNAL)
		return step_signal(p, r->cfa_offset, span);
	end = read_cfa(p, r, span, &cfa);
	if (end != GO_ON)
		return end;
	/* Stacks grow downwards. Only a leaf of arm64 has nothing on it. */
	if (!kf_is_record(cfa, span) || cfa < p->sp ||
	    (cfa == p->sp && (kf_candidate_on_stack || !is_exact(p))))
		return KFLAME_END_BAD_CFA;
	end = read_saved(p, r->ra, r->ra_offset, r->ra == KFLAME_IN_SAME ? KF_LINK_REG : r->reg,
			 cfa, span, &ip);
	if (end != GO_ON)
		return end;
	if (r->fp == KFLAME_IN_LOST) {
		lost = true;
	} else if (r->fp != KFLAME_IN_SAME) {
		/* That it cannot be read matters only if somebody needs it; but it takes time. */
		lost = read_saved(p, r->fp, r->fp_offset, r->reg, cfa, span, &fp) != GO_ON;
		if (lost && ++p->faults == MAX_FAULTS)
			return KFLAME_END_FAULT;
	}
	if (r->base_offset)
		pass_base(p, r->base_offset, cfa);
	p->ip = kf_strip_pac(ip);
	p->sp = cfa;
	p->fp = fp;
	p->fp_lost = lost;
	p->regs = NULL;
	p->sigcontext = 0;
	return GO_ON;
}

/*
 * step_by_rule() for what nearly all rules are: the CFA is sp or fp and a number, and what was
 * saved is beside it. Less than half of the instructions. NOT_PLAIN: nothing was done, it
 * is not like that here.
 */
static __always_inline u32 step_plain(struct place *p, const struct kflame_rule *r,
				      unsigned long span)
{
	bool by_fp = r->cfa == KFLAME_CFA_FP;
	unsigned long cfa = (by_fp ? p->fp : p->sp) + r->cfa_offset;
	unsigned long at = cfa + r->ra_offset, ip, fp;

	if ((by_fp && p->fp_lost) || cfa <= p->sp || !kf_is_record(cfa, span) ||
	    !kf_is_record(at, span))
		return NOT_PLAIN;
	KF_READ_WORD(at, ip, fault);
	if (r->fp != KFLAME_IN_SAME) {
		at = cfa + r->fp_offset;
		if (!kf_is_record(at, span))
			return NOT_PLAIN;
		KF_READ_WORD(at, fp, fp_fault);
		p->fp = fp;
		p->fp_lost = false;
	}
	if (r->base_offset)
		pass_base(p, r->base_offset, cfa);
	p->ip = kf_strip_pac(ip);
	p->sp = cfa;
	p->regs = NULL;
	p->sigcontext = 0;
	return GO_ON;
fp_fault:
	return NOT_PLAIN;
fault:
	return KFLAME_END_FAULT;
}

/* The caller by the frame record that the frame pointer shows; likewise. */
static __always_inline u32 step_by_fp(struct place *p, unsigned long span)
{
	unsigned long next = 0, ret = 0;

	/* Zero is how the ABIs mark the outermost frame. */
	if (!p->fp && !p->fp_lost)
		return KFLAME_END_COMPLETE;
	if (p->fp_lost || p->fp < p->sp || !kf_is_record(p->fp, span))
		return KFLAME_END_BAD_FP;
	KF_READ_RECORD(p->fp, next, ret, fault);
	p->ip = ret;
	p->sp = p->fp + 2 * sizeof(long);
	p->fp = next;
	/* Who walks by frame pointers does not know who saved what. */
	p->base_lost = true;
	p->regs = NULL;
	p->sigcontext = 0;
	return GO_ON;
fault:
	return KFLAME_END_FAULT;
}

/* ------------------------------------------------------------------------- walk */

/* By a table's rule. */
static __always_inline u32 go_by_rule(struct place *p, const struct kflame_rule *rule,
				      unsigned long span, struct kf_frames *f, u32 nr)
{
	/* What a handler returns to was not called: see kflame_rec_stack.ip. */
	if (rule->cfa == KFLAME_CFA_SIGNAL && !is_exact(p))
		f->ip[nr - 1]++;
	return step_by_rule(p, rule, span);
}

/* By frame pointer. */
static __always_inline u32 go_by_fp(struct place *p, u32 depth, unsigned long span,
				    struct kf_frames *f, struct steps *n)
{
	unsigned long caller;

	/* The caller of a leaf, which has no frame record. */
	caller = p->regs && depth > 1 ? kf_leaf_candidate(p->regs, span, n->leaf) : 0;
	if (caller) {
		n->candidate = n->nr;
		f->ip[n->nr++] = caller;
	}
	return step_by_fp(p, span);
}

/*
 * One step from @p, by whatever shows the way; GO_ON or KFLAME_END_*. A return address may be
 * that of a call which is the last instruction of its function, so its rule is that of the
 * byte before.
 */
static __always_inline u32 step(const struct kf_uspace *s, struct place *p, u32 depth,
				unsigned long span, struct kf_frames *f, struct steps *n)
{
	bool exact = is_exact(p);
	u64 place = (u64)p->ip << 1 | exact;
	struct kf_uknown *k = place_of(s, place);
	const struct kflame_rule *rule = &k->rule;
	u32 how;

	if (likely(k->place == place && k->aspace == s->aspace)) {
		n->known++;
		how = k->how;
		if (likely(k->plain)) {
			u32 end = step_plain(p, &k->rule, span);

			if (likely(end != NOT_PLAIN)) {
				n->table++;
				return end;
			}
		}
	} else {
		how = find_out(s, p->ip - !exact, exact, &rule);
		remember(s, place, how, rule);
	}
	if (how == KFLAME_END_PENDING) {
		n->pending++;
		/* KFLAME_UWAY_AUTO goes on by frame pointer. */
		how = s->uway == KFLAME_UWAY_AUTO ? BY_FP : how;
	}
	if (how == BY_RULE) {
		n->table++;
		return go_by_rule(p, rule, span, f, n->nr);
	}
	if (how != BY_FP)
		return how;
	n->fp++;
	return go_by_fp(p, depth, span, f, n);
}

/*
 * The CFA of what goes by the frame pointer, which may be anything.
 * Return: 0: it is not above @sp, or what is saved below it is not.
 */
static __always_inline unsigned long quick_cfa_by_fp(u64 quick, unsigned long sp, unsigned long fp)
{
	unsigned long cfa = fp + quick_bytes(quick, QUICK_CFA_SHIFT);

	if (!(quick & QUICK_BY_FP) || cfa & 7 || cfa <= sp ||
	    cfa - sp < quick_ra(quick) || cfa - sp < quick_bytes(quick, 0))
		return 0;
	return cfa;
}

/* What comes next cannot be read: one step, which ends the walk. */
static __always_inline u32 fault_at(u64 quick, struct steps *n)
{
	n->known++;
	if ((s64)quick >= 0 && quick & QUICK_RECORD)
		n->fp++;
	else
		n->table++;
	return KFLAME_END_FAULT;
}

/*
 * From a return address on, as many steps as are remembered and quick, up to @stop and to a
 * boundary of parts, see uchain.h; @c: to write it down, or NULL. Half of the instructions of
 * step(). What is anything else, or wrong, or leads nowhere, is left to that, from before it.
 * Return: GO_ON at @stop or a boundary; NOT_PLAIN; NOT_KNOWN; KFLAME_END_FAULT.
 */
static __always_inline u32 quick_part(const struct kf_uspace *s, struct place *p, u64 **at,
				      const u64 *stop, unsigned long span, struct kf_uchain *c,
				      struct steps *n)
{
	const struct kf_uknown *const known = s->cpu->known;
	unsigned long ip = p->ip, sp = p->sp, fp = p->fp, cfa, ra, saved;
	const unsigned long edge = sp | (KF_UCHAIN_STACK - 1);
	const u64 aspace = s->aspace;
	u64 *to = *at, quick = 0;
	u32 records = 0, end = NOT_PLAIN;
	unsigned long base;

	do {
		const u64 place = (u64)ip << 1;
		const struct kf_uknown *k = &known[hash_64(place + aspace, KF_UKNOWN_BITS)];

		quick = k->quick;
		if (unlikely(k->place != place || k->aspace != aspace)) {
			end = NOT_KNOWN;
			goto out;
		}
		cfa = sp + quick_bytes(quick, QUICK_CFA_SHIFT);
		if (unlikely((s64)quick >= 0))
			cfa = quick_cfa_by_fp(quick, sp, fp);
		if (unlikely(!kf_is_user(cfa, span)))
			goto out;
		KF_READ_WORD(cfa - quick_ra(quick), ra, fault);
		if (unlikely(!kf_is_user(kf_strip_pac(ra), span)))
			goto out;
		saved = fp;
		if (quick_bytes(quick, 0))
			KF_READ_WORD(cfa - quick_bytes(quick, 0), saved, out);
		/* Nothing keeps this step from being made any more. */
		if (c && (s64)quick >= 0)
			kf_uchain_go_by_fp(c);
		if (c && quick_bytes(quick, 0))
			kf_uchain_add_saved(c, cfa - quick_bytes(quick, 0), saved);
		fp = saved;
		base = quick >> QUICK_BASE_SHIFT & QUICK_BASE;
		if (base) {
			p->saved = cfa - base;
			p->base_lost = false;
			if (c)
				kf_uchain_base(c, KF_UCHAIN_BASE_SAVED, p->saved);
		}
		/* Who walks by frame pointers does not know who saved what. */
		if (unlikely((s64)quick >= 0) && quick & QUICK_RECORD) {
			p->base_lost = true;
			records++;
			if (c)
				kf_uchain_base(c, KF_UCHAIN_BASE_LOST, 0);
		}
		if (c)
			kf_uchain_add(c, cfa - quick_ra(quick), ra);
		ip = kf_strip_pac(ra);
		sp = cfa;
		*to++ = ip;
	} while (likely(to < stop && sp <= edge));
	end = GO_ON;
	goto out;
fault:
	end = fault_at(quick, n);
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

/* All of @c is as it was: be where it ends. */
static __always_inline void take_chain(struct kf_uchain *c, struct place *p, u64 **at,
				       struct steps *n)
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

/* One part of a stack: as it was, if somebody has been here. Return: as quick_part(). */
static __always_inline u32 go_chain(const struct kf_uspace *s, struct place *p, u64 **at,
				    const u64 *full, unsigned long span, struct steps *n)
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
		return quick_part(s, p, at, stop, span, NULL, n);
	}
	/* It is not to be made shorter for those who have no room for it. */
	if (unlikely(c->nr && c->nr_ra > full - *at))
		return quick_part(s, p, at, stop, span, NULL, n);
	is = c->nr ? kf_uchain_is(c, *at) : KF_UCHAIN_CHANGED;
	if (likely(is == KF_UCHAIN_AS_IT_WAS)) {
		take_chain(c, p, at, n);
		return c->last ? NOT_PLAIN : GO_ON;
	}
	n->cold = is == KF_UCHAIN_FAULT;
	kf_uchain_begin(c, p->fp);
	end = quick_part(s, p, at, stop, span, c, n);
	/* What is not known now may be the next time. */
	kf_uchain_end(c, p->sp, p->fp, end == NOT_PLAIN || end == KFLAME_END_FAULT);
	return end;
}

/*
 * From a return address on, as far as it goes quickly.
 * Return: GO_ON: step() is to go on; or KFLAME_END_FAULT.
 */
static __always_inline u32 go_quickly(const struct kf_uspace *s, struct place *p, u32 depth,
				      unsigned long span, struct kf_frames *f, struct steps *n)
{
	u64 *to = &f->ip[n->nr];
	const u64 *full = &f->ip[depth];
	u32 end = GO_ON;

	/* What lies between sp and the CFA is the user's, if both are. */
	if (p->fp_lost || !kf_is_record(p->sp, span))
		return GO_ON;
	while (end == GO_ON && likely(to < full))
		end = s->aspace && s->cpu->chains && !n->cold ?
		      go_chain(s, p, &to, full, span, n) :
		      quick_part(s, p, &to, full, span, NULL, n);
	n->nr = to - f->ip;
	return end == KFLAME_END_FAULT ? end : GO_ON;
}

static __always_inline void walk(struct pt_regs *regs, const struct kf_uspace *s, u32 depth,
				 struct kf_leaf *leaf, struct kf_frames *f)
{
	const unsigned long span = KF_USER_SPAN;
	struct steps n = { .nr = 1, .candidate = KF_NO_CANDIDATE, .leaf = leaf };
	struct place p = {
		.ip = instruction_pointer(regs),
		.sp = kf_user_lowest_fp(regs),
		.fp = kf_user_fp(regs),
		.regs = regs,
		.base_regs = regs,
	};
	u32 end;

	for (;;) {
		end = step(s, &p, depth, span, f, &n);
		if (unlikely(end != GO_ON))
			break;
		if (unlikely(!kf_is_user(p.ip, span))) {
			end = p.ip ? KFLAME_END_NO_MAP : KFLAME_END_COMPLETE;
			break;
		}
		if (unlikely(n.nr >= depth)) {
			end = KFLAME_END_DEPTH;
			break;
		}
		f->ip[n.nr++] = p.ip + is_exact(&p);
		if (unlikely(is_exact(&p)))
			continue;
		end = go_quickly(s, &p, depth, span, f, &n);
		if (unlikely(end != GO_ON))
			break;
	}
	/* What is in no mapping is no frame. */
	if (end == KFLAME_END_NO_MAP && n.nr > 1 && f->ip[n.nr - 1] == p.ip + is_exact(&p))
		n.nr--;
	end |= (n.table ? KFLAME_BY_TABLE : 0) | (n.fp ? KFLAME_BY_FP : 0);
	f->is = kf_shape(KFLAME_STACK_USER, n.nr, end, n.candidate);
	count_steps(s->cpu, &n);
}

/**
 * kf_uwalk() - the user stack of current by unwind tables
 * @regs:	registers of user mode
 * @space:	tables and mappings of current
 * @depth:	most frames
 * @leaf:	this CPU's
 * @f:		has the first frame; gets the others and @f->is
 *
 * As kf_ustack(), which calls it. Opens the access window itself.
 */
void kf_uwalk(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	      struct kf_leaf *leaf, struct kf_frames *f)
{
	/* Faults off first: opening the window checks for it (5.10 to 6.1). */
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk(regs, space, depth, leaf, f);
		user_access_end();
	} else {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_FAULT, KF_NO_CANDIDATE);
	}
	pagefault_enable();
}

/* -------------------------------------------------------------------- lifetime */

size_t kf_uwalk_bytes(void)
{
	return sizeof(struct kf_uknown) * KF_UKNOWN;
}

size_t kf_uchains_bytes(void)
{
	return roundup_pow_of_two(sizeof(struct kf_uchain) * KF_UCHAINS);
}

/* Return: 0 or -ENOMEM. May sleep. */
int kf_uwalk_alloc(struct kf_uwalk *w, int node)
{
	w->known = kvzalloc_node(kf_uwalk_bytes(), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
				 node);
	return w->known ? 0 : -ENOMEM;
}

/* The same of what is written down of stacks, of a CPU that is to be sampled */
int kf_uchains_alloc(struct kf_uwalk *w, int node)
{
	w->chains = kvzalloc_node(kf_uchains_bytes(), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
				  node);
	return w->chains ? 0 : -ENOMEM;
}

void kf_uchains_free(struct kf_uwalk *w)
{
	kvfree(w->chains);
	w->chains = NULL;
}

void kf_uwalk_free(struct kf_uwalk *w)
{
	kf_uchains_free(w);
	kvfree(w->known);
	w->known = NULL;
}
