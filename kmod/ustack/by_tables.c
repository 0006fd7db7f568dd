// SPDX-License-Identifier: GPL-2.0-only
/*
 * by_tables.c - user stacks by unwind tables, see ustack/by_tables.h
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "ustack/by_tables.h"
#include "ustack/known_parts.h"
#include "ustack/leaf.h"
#include "ustack/quick_steps.h"
#include "ustack/read_word.h"
#include "ustack/return_probes.h"
#include "ustack/table_step.h"
#include "ustack/unwind_tables.h"
#include "ustack/walk_state.h"

static __always_inline void count_steps(struct kf_uwalk *w, const struct kf_usteps *n)
{
	w->again += n->again;
	w->count[0] += n->table;
	w->count[KFLAME_STAT_STEPS_FP - KFLAME_STAT_STEPS_TABLE] += n->fp;
	w->count[KFLAME_STAT_STEPS_KNOWN - KFLAME_STAT_STEPS_TABLE] += n->known;
	w->count[KFLAME_STAT_PENDING - KFLAME_STAT_STEPS_TABLE] += n->pending;
}

/* -------------------------------------------------------- how to step from an address */

/* What the unwind table of a file says about @ip. *@rule is set if the answer is KF_BY_RULE. */
static __always_inline u32 ask_table(const struct kf_uspace *s, const struct kf_umap *map,
				     u64 ip, bool exact, const struct kflame_rule **rule)
{
	const struct kf_utable *t = kf_utables_find(s->tables, map->file);
	const struct kflame_rule *r;
	bool by_fp;

	if (!t)
		return KFLAME_END_PENDING;
	if (t->flags & KFLAME_TABLE_NONE)
		return s->uway == KFLAME_UWAY_AUTO ? KF_BY_FP : KFLAME_END_NO_RULE;
	by_fp = s->uway == KFLAME_UWAY_AUTO && !exact && (t->flags & KFLAME_TABLE_FP);
	/*
	 * On arm64 a step by frame pointer loses sp, and later rules need sp. Then prefer the rule.
	 */
	if (by_fp && kf_cfa_behind_record)
		return KF_BY_FP;
	r = kf_utable_rule(t, ip - map->start + map->offset);
	if (!r || r->cfa == KFLAME_CFA_NONE)
		return by_fp || (s->uway == KFLAME_UWAY_AUTO && (t->flags & KFLAME_TABLE_PART)) ?
			KF_BY_FP : KFLAME_END_NO_RULE;
	if (r->cfa == KFLAME_CFA_END)
		return KFLAME_END_COMPLETE;
	*rule = r;
	return KF_BY_RULE;
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
		return KF_BY_FP;
	return ask_table(s, &map, ip, exact, rule);
}

static __always_inline void remember(const struct kf_uspace *s, u64 place, u32 how,
				     const struct kflame_rule *rule)
{
	struct kf_uknown *k = kf_uknown_at(s, place);

		/*
		 * Do not cache what may differ the next time. An address space without an id is not
		 * cached.
		 */
	if (how == KFLAME_END_PENDING || !s->aspace || s->run->part)
		return;
	k->aspace = s->aspace;
	k->place = place;
	k->how = how;
	k->plain = how == KF_BY_RULE && kf_is_plain_rule(rule);
	k->quick = kf_quick_of(how, rule);
	if (how == KF_BY_RULE)
		k->rule = *rule;
}

/* ------------------------------------------------------------------------- walk */

/*
 * Note how the walk leaves the frame at @p. Except in kf_uwalk_traced(), @trace is a compile-time NULL, so
 * no other walk has this code.
 */
static __always_inline void trace_step(struct kf_utrace *trace, const struct kf_uplace *p, u32 how,
				       const struct kflame_rule *rule, bool cached)
{
	struct kflame_step *to;

	if (!trace || trace->nr >= KFLAME_EXPLAIN_STEPS)
		return;
	to = &trace->step[trace->nr++];
	to->ip = p->ip;
	to->sp = p->sp;
	to->fp = p->fp;
	to->how = how == KF_BY_RULE ? KFLAME_STEP_RULE : how == KF_BY_FP ? KFLAME_STEP_FP : how;
	to->flags = (cached ? KFLAME_STEP_CACHED : 0) | (kf_is_exact(p) ? KFLAME_STEP_EXACT : 0) |
		    (p->fp_lost ? KFLAME_STEP_FP_LOST : 0) |
		    (kf_is_sp_lost(p) ? KFLAME_STEP_SP_LOST : 0);
	if (how == KF_BY_RULE)
		to->rule = *rule;
	else
		to->rule = (struct kflame_rule){};
}

/* One step by a rule of an unwind table */
static __always_inline u32 go_by_rule(struct kf_uplace *p, const struct kflame_rule *rule,
				      unsigned long span, struct kf_frames *f, u32 nr)
{
	/* A signal handler returns to an address that no call precedes: see kflame_rec_stack.ip. */
	if (rule->cfa == KFLAME_CFA_SIGNAL && !kf_is_exact(p))
		f->ip[nr - 1]++;
	return kf_step_by_rule(p, rule, span);
}

/* One step by frame pointer */
static __always_inline u32 go_by_fp(struct kf_uplace *p, u32 depth, unsigned long span,
				    struct kf_frames *f, struct kf_usteps *n)
{
	unsigned long caller = 0, ret;
	bool leads = true;
	u32 end;

	/* A leaf function has no frame record, so its caller is a candidate. */
	if (p->regs && depth > 1) {
		leads = kf_read_first(p->regs, span, &ret, &end);
		caller = kf_leaf_candidate(p->regs, span, ret, n->leaf);
	}
	if (caller) {
		n->candidate = n->nr;
		f->ip[n->nr++] = caller;
	}
	return leads ? kf_step_by_fp(p, span) : end;
}

/*
 * One step from @p, by a cached rule, an unwind table or a frame pointer. Returns KF_GO_ON or
 * KFLAME_END_*. A call may be the last instruction of its function. So the rule for a return
 * address is the rule for the byte before it.
 */
static __always_inline u32 step(const struct kf_uspace *s, struct kf_uplace *p, u32 depth,
				unsigned long span, struct kf_frames *f, struct kf_usteps *n,
				struct kf_utrace *trace)
{
	bool exact = kf_is_exact(p), cached = false;
	u64 place = (u64)p->ip << 1 | exact;
	struct kf_uknown *k = kf_uknown_at(s, place);
	const struct kflame_rule *rule = &k->rule;
	u32 how;

	if (likely(k->place == place && k->aspace == s->aspace)) {
		n->known++;
		cached = true;
		how = k->how;
		/* A traced walk takes the general step, which has the same result. */
		if (likely(k->plain) && !trace) {
			u32 end = kf_step_plain(p, &k->rule, span);

			if (likely(end != KF_NOT_PLAIN)) {
				n->table++;
				n->unknown = 0;
				return end;
			}
		}
	} else {
		how = find_out(s, p->ip - !exact, exact, &rule);
		remember(s, place, how, rule);
	}
	if (how == KFLAME_END_PENDING) {
		n->pending++;
		/* KFLAME_UWAY_AUTO steps by frame pointer instead. */
		how = s->uway == KFLAME_UWAY_AUTO ? KF_BY_FP : how;
	}
	/*
	 * Start code in assembler may have no rule. The ABIs mark the outermost frame by a zero fp.
	 */
	if (unlikely(how == KFLAME_END_NO_RULE) && !exact && !p->fp && !p->fp_lost) {
		trace_step(trace, p, KFLAME_END_COMPLETE, rule, cached);
		return KFLAME_END_COMPLETE;
	}
		/*
		 * The address is in code that was mapped after the address space was walked, or it
		 * is no code at all. A step by frame pointer may get back to known code. If the
		 * walk does not get back, it went astray.
		 */
	if (unlikely(how == KFLAME_END_NO_MAP)) {
		s->cpu->unknown = true;
		n->unknown = n->unknown ?: n->nr;
		how = KF_BY_FP;
	} else {
		n->unknown = 0;
	}
	/*
	 * The rule needs the sp that was lost. The next frame record has a caller, but may skip
	 * one.
	 */
	if (how == KF_BY_RULE && kf_is_sp_lost(p) && !kf_find_sp(p, rule, span) &&
	    kf_wants_lost_sp(p, rule)) {
		if (!p->fp) {
			trace_step(trace, p, KFLAME_END_BAD_FP, rule, cached);
			return KFLAME_END_BAD_FP;
		}
		how = KF_BY_FP;
	}
	trace_step(trace, p, how, rule, cached);
	if (how == KF_BY_RULE) {
		n->table++;
		return go_by_rule(p, rule, span, f, n->nr);
	}
	if (how != KF_BY_FP)
		return how;
	n->fp++;
	return go_by_fp(p, depth, span, f, n);
}

static __always_inline void walk(struct pt_regs *regs, const struct kf_uspace *s, u32 depth,
				 const struct kf_returns *returns, struct kf_leaf *leaf,
				 struct kf_frames *f, struct kf_utrace *trace)
{
	const unsigned long span = kf_user_span();
	struct kf_usteps n = { .nr = 1, .candidate = KF_NO_CANDIDATE, .leaf = leaf };
	struct kf_uplace p = {
		.ip = instruction_pointer(regs),
		.sp = kf_user_lowest_fp(regs),
		.fp = kf_user_fp(regs),
		.regs = regs,
		.base_regs = regs,
	};
	u32 nr, end;

	for (;;) {
		end = step(s, &p, depth, span, f, &n, trace);
		if (unlikely(end != KF_GO_ON))
			break;
		if (unlikely(returns))
			p.ip = kf_returns_find(returns, p.sp - kf_ra_below_cfa, p.ip);
		if (unlikely(!kf_is_user(p.ip, span))) {
			end = p.ip ? KFLAME_END_NO_MAP : KFLAME_END_COMPLETE;
			break;
		}
		if (unlikely(n.nr >= depth)) {
			end = KFLAME_END_DEPTH;
			break;
		}
		f->ip[n.nr++] = p.ip + kf_is_exact(&p);
		if (unlikely(kf_is_exact(&p) || returns) || trace)
			continue;
		nr = n.nr;
		end = kf_go_quickly(s, &p, depth, span, f, &n);
		if (n.nr != nr)
			n.unknown = 0;
		if (unlikely(end != KF_GO_ON))
			break;
	}
	/* An address outside of all mappings is no frame. */
	if (end == KFLAME_END_NO_MAP && n.nr > 1 && f->ip[n.nr - 1] == p.ip + kf_is_exact(&p))
		n.nr--;
	if (unlikely(n.unknown && end != KFLAME_END_COMPLETE)) {
		n.nr = max(n.unknown - 1, 1U);
		end = KFLAME_END_NO_MAP;
		if (n.candidate >= n.nr)
			n.candidate = KF_NO_CANDIDATE;
	}
	/* The bad frame pointer may stem from a step without the table, which is still pending. */
	if (unlikely(end == KFLAME_END_BAD_FP && n.pending))
		end = KFLAME_END_PENDING;
	if (unlikely(n.pending))
		s->cpu->late = true;
	end |= (n.table ? KFLAME_BY_TABLE : 0) | (n.fp ? KFLAME_BY_FP : 0);
	f->is = kf_shape(KFLAME_STACK_USER, n.nr, end, n.candidate);
	count_steps(s->cpu, &n);
}

/**
 * kf_uwalk() - walk the user stack of current by unwind tables
 * @regs:	registers of user mode
 * @space:	tables and mappings of current
 * @depth:	most frames
 * @returns:	of current, NULL for none
 * @leaf:	this CPU's
 * @f:		has the first frame; out: the other frames and @f->is
 *
 * kf_ustack_inline() calls this and has the same conditions. The function opens user access itself.
 */
void kf_uwalk(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
	      const struct kf_returns *returns, struct kf_leaf *leaf, struct kf_frames *f)
{
	/* Disable page faults first: opening user access checks for that (5.10 to 6.1). */
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk(regs, space, depth, returns, leaf, f, NULL);
		user_access_end();
	} else {
		f->is = kf_shape(KFLAME_STACK_USER, 1, KFLAME_END_FAULT, KF_NO_CANDIDATE);
	}
	pagefault_enable();
}

/**
 * kf_uwalk_traced() - walk as kf_uwalk() does, and note each step
 * @regs:	as for kf_uwalk()
 * @space:	as for kf_uwalk()
 * @depth:	as for kf_uwalk()
 * @returns:	as for kf_uwalk()
 * @leaf:	this CPU's; not changed
 * @trace:	out
 *
 * The walk's answers are cached like those of any walk. Its counters are dropped. Context: as kf_uwalk().
 */
void kf_uwalk_traced(struct pt_regs *regs, const struct kf_uspace *space, u32 depth,
		     const struct kf_returns *returns, const struct kf_leaf *leaf,
		     struct kf_utrace *trace)
{
	struct kf_uwalk cpu = *space->cpu;
	struct kf_uspace traced = *space;
	struct kf_leaf own = *leaf;

	cpu.chains = NULL;
	traced.cpu = &cpu;
	trace->nr = 0;
	trace->frames.ip[0] = instruction_pointer(regs);
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX)) {
		walk(regs, &traced, depth, returns, &own, &trace->frames, trace);
		user_access_end();
	}
	pagefault_enable();
}

/* -------------------------------------------------------------------- lifetime */

static size_t known_bytes(void)
{
	return sizeof(struct kf_uknown) * KF_UKNOWN;
}

static size_t chains_bytes(void)
{
	return roundup_pow_of_two(sizeof(struct kf_uchain) * KF_UCHAINS);
}

/*
 * Memory for each sampled CPU. @chains: does it store parts of walked stacks? See
 * ustack/known_parts.h.
 */
size_t kf_uwalk_bytes(bool chains)
{
	return known_bytes() + (chains ? chains_bytes() : 0);
}

static void *alloc(size_t bytes, int node)
{
	return kvzalloc_node(bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, node);
}

/* Return: 0 or -ENOMEM. May sleep. */
int kf_uwalk_init(struct kf_uwalk *w, bool chains, int node)
{
	w->known = alloc(known_bytes(), node);
	w->chains = chains ? alloc(chains_bytes(), node) : NULL;
	if (w->known && (w->chains || !chains))
		return 0;
	kf_uwalk_exit(w);
	return -ENOMEM;
}

void kf_uwalk_exit(struct kf_uwalk *w)
{
	kvfree(w->chains);
	w->chains = NULL;
	kvfree(w->known);
	w->known = NULL;
}
