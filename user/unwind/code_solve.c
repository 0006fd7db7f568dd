// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_solve.c - finds what must be known at instructions that no way leads to
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/code_solve.h"

#define MOST		4096u	/* a power of two; a search has at most half as many instructions */
#define ROUNDS		64	/* what one round walks may solve more code in the next */

/* A value that is to be found.  CODE_FP_BASE is never a solution */
#define OPEN		CODE_FP_BASE

/* What the ends of a search say about its beginning */
struct answer {
	int32_t sp, fp;			/* values at the beginning */
	int32_t saved[CODE_KEPT];	/* where registers are saved at the beginning */
	int32_t kept[CODE_KEPT];	/* of base and link: CODE_SAME or CODE_UNKNOWN */
	bool wrong;			/* two ends disagree */
	bool ended;			/* there was an end */
};

struct searched {
	uint64_t address;
	struct code_state state;
	uint32_t round;			/* else the entry is free */
};

struct solver {
	struct code_walk *w;
	struct searched *seen;		/* MOST entries, by a hash of the address */
	uint32_t round, used;
	uint64_t todo[MOST];
	size_t nr_todo;
	struct answer answer;
	int err;
};

static bool is_offset(int32_t value)
{
	return value != CODE_UNKNOWN && value != CODE_SAME;
}

static bool of_fp(int32_t value)
{
	return is_offset(value) && value > CODE_FP_BASE / 2;
}

static void learn(struct answer *a, int32_t *what, int32_t value)
{
	if (*what == OPEN)
		*what = value;
	else if (*what != value)
		a->wrong = true;
}

/* Learns from the fact that a register, or an address, whose symbolic value is @symbolic, is @value */
static void equate(struct answer *a, int32_t symbolic, int32_t value)
{
	if (!is_offset(symbolic) || !is_offset(value))
		return;
	if (of_fp(symbolic))
		learn(a, &a->fp, value - (symbolic - CODE_FP_BASE));
	else
		learn(a, &a->sp, value - symbolic);
}

/* Return: the offset from the CFA that a symbolic address has; OPEN if that is not known yet */
static int32_t place(const struct answer *a, int32_t symbolic)
{
	int32_t base = of_fp(symbolic) ? a->fp : a->sp;

	if (base == OPEN || !is_offset(base))
		return OPEN;
	return base + symbolic - (of_fp(symbolic) ? CODE_FP_BASE : 0);
}

/* The value that a kept register has in a search as long as it is unchanged */
static int32_t unchanged(enum code_kept kept)
{
	return kept == CODE_KEPT_FP ? CODE_FP_BASE : CODE_SAME;
}

static int32_t *value_of(struct answer *a, enum code_kept kept)
{
	return kept == CODE_KEPT_FP ? &a->fp : &a->kept[kept];
}

/* Learns from the end @s of a search, where register @reg holds its caller's value again */
static void learn_restored(struct answer *a, const struct code_state *s, enum code_kept kept, uint8_t reg)
{
	int32_t from = s->loaded[kept], at;

	if (s->value[reg] == unchanged(kept)) {
		learn(a, value_of(a, kept), CODE_SAME);
	} else if (from != CODE_UNKNOWN) {
		at = place(a, from);
		if (at != OPEN)
			learn(a, &a->saved[kept], at);
	} else if (kept != CODE_KEPT_BASE) {
		a->wrong = true;
	}
}

static void learn_return(const struct code_machine *m, struct answer *a, const struct code_state *s)
{
	if (!is_offset(s->value[m->sp]))
		return;
	a->ended = true;
	equate(a, s->value[m->sp], m->link ? 0 : -8);
	learn_restored(a, s, CODE_KEPT_FP, m->fp);
	learn_restored(a, s, CODE_KEPT_BASE, m->base);
	if (m->link)
		learn_restored(a, s, CODE_KEPT_LINK, m->link);
}

/* Learns from the end @s of a search, at walked code with the state @there */
static void learn_kept(struct answer *a, const struct code_state *s, const struct code_state *there,
		       enum code_kept kept, uint8_t reg)
{
	if (s->value[reg] == unchanged(kept) && s->saved[kept] == CODE_UNKNOWN) {
		if (there->value[reg] != CODE_UNKNOWN)
			learn(a, value_of(a, kept), there->value[reg]);
		if (there->saved[kept] != CODE_UNKNOWN)
			learn(a, &a->saved[kept], there->saved[kept]);
	} else if (s->saved[kept] != CODE_UNKNOWN &&
		   there->saved[kept] == place(a, s->saved[kept])) {
		learn(a, value_of(a, kept), CODE_SAME);	/* the search passed where it was saved */
	} else if (s->saved[kept] != CODE_UNKNOWN && there->saved[kept] != CODE_UNKNOWN) {
		learn(a, &a->saved[kept], there->saved[kept]);
	} else if (there->value[reg] == CODE_SAME) {
		learn_restored(a, s, kept, reg);
	} else if (there->saved[kept] != CODE_UNKNOWN) {
		learn(a, &a->saved[kept], there->saved[kept]);
	}
}

static void learn_join(const struct code_machine *m, struct answer *a, const struct code_state *s,
		       const struct code_state *there)
{
	if (!is_offset(there->value[m->sp]) && !is_offset(there->value[m->fp]))
		return;
	a->ended = true;
	equate(a, s->value[m->sp], there->value[m->sp]);
	if (s->value[m->fp] != CODE_FP_BASE)
		equate(a, s->value[m->fp], there->value[m->fp]);
	learn_kept(a, s, there, CODE_KEPT_FP, m->fp);
	learn_kept(a, s, there, CODE_KEPT_BASE, m->base);
	if (m->link)
		learn_kept(a, s, there, CODE_KEPT_LINK, m->link);
}

/* ---------------------------------------------------------------------- search */

/* Return: the entry of an address, or a free one; NULL if the search is too long */
static struct searched *entry(struct solver *s, uint64_t address)
{
	uint32_t at = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 40) & (MOST - 1);

	while (s->seen[at].round == s->round && s->seen[at].address != address)
		at = (at + 1) & (MOST - 1);
	if (s->seen[at].round != s->round && s->used >= MOST / 2)
		return NULL;
	return &s->seen[at];
}

/* Joins @state at an address.  Return: whether the search must go on from there */
static bool arrive(struct solver *s, uint64_t address, struct code_state *state)
{
	const struct code_state *there = code_walk_state(s->w, address);
	struct searched *e;
	bool clash;

	if (there) {
		learn_join(s->w->m, &s->answer, state, there);
		return false;
	}
	e = entry(s, address);
	if (!e || !code_walk_part(s->w, address)) {
		s->answer.wrong = true;
		return false;
	}
	if (e->round != s->round) {
		*e = (struct searched){ address, *state, s->round };
		s->used++;
		return true;
	}
	if (!code_state_meet(s->w->m, &e->state, state, &clash)) {
		s->answer.wrong |= clash;
		return false;
	}
	s->answer.wrong |= clash;
	*state = e->state;
	return true;
}

static void later(struct solver *s, uint64_t address, const struct code_state *state)
{
	struct code_state copy = *state;

	if (arrive(s, address, &copy) && s->nr_todo < MOST)
		s->todo[s->nr_todo++] = address;
}

/* Does the function at @target return, as far as is known?  If it was not walked, it is now */
static bool call_returns(struct solver *s, uint64_t target)
{
	const struct code_function *f = code_walk_function(s->w, target);

	if (!f && !code_walk_state(s->w, target) && !s->err) {
		s->err = code_walk_start(s->w, target);
		if (!s->err)
			s->err = code_walk_run(s->w);
		f = code_walk_function(s->w, target);
	}
	return f && code_walk_surely_returns(s->w, target);
}

/* Return: whether the search goes on behind the instruction */
static bool follow(struct solver *s, const struct code_insn *insn, uint64_t next, struct code_state *state)
{
	switch (insn->flow) {
	case CODE_NEXT:
		return true;
	case CODE_BRANCH:
		later(s, insn->target, state);
		return true;
	case CODE_JUMP:
		later(s, insn->target, state);
		return false;
	case CODE_CALL:
		code_state_call(s->w->m, state);
		return call_returns(s, insn->target) && !code_walk_behind_call(s->w, &next);
	case CODE_CALL_ELSEWHERE:
		code_state_call(s->w->m, state);
		return !code_walk_behind_call(s->w, &next);
	case CODE_RETURN:
		learn_return(s->w->m, &s->answer, state);
		return false;
	default:
		return false;
	}
}

static void search(struct solver *s, uint64_t address)
{
	struct code_state state = entry(s, address)->state;
	struct code_insn insn;

	do {
		if (!code_walk_decode(s->w, address, &insn)) {
			s->answer.wrong = true;
			return;
		}
		code_state_apply(s->w->m, &state, &insn, true);
		address += insn.bytes;
		if (!code_walk_may_go_on(s->w))
			return;
	} while (follow(s, &insn, address, &state) && !s->answer.wrong && arrive(s, address, &state));
}

/* Makes the state at the beginning from what the ends say.  Return: false if that is not enough */
static bool conclude(const struct code_machine *m, const struct answer *a, struct code_state *out)
{
	bool sp = a->sp != OPEN, fp = a->fp != OPEN && is_offset(a->fp);
	int32_t pushed = m->link ? 0 : 8;

	if (a->wrong || !a->ended || (!sp && !fp))
		return false;
	if ((sp && (a->sp > -pushed || a->sp & 7)) || (fp && (a->fp > -pushed - 8 || a->fp & 7)))
		return false;
	code_state_begin(m, out);
	out->value[m->sp] = sp ? a->sp : CODE_UNKNOWN;
	out->value[m->fp] = a->fp != OPEN ? a->fp : CODE_UNKNOWN;
	out->value[m->base] = a->kept[CODE_KEPT_BASE] == CODE_SAME ? CODE_SAME : CODE_UNKNOWN;
	if (m->link)
		out->value[m->link] = a->kept[CODE_KEPT_LINK] == CODE_SAME ? CODE_SAME : CODE_UNKNOWN;
	for (unsigned int i = 0; i < CODE_KEPT; i++)
		if (a->saved[i] != OPEN && a->saved[i] < -pushed)
			out->saved[i] = a->saved[i];
	return true;
}

/* Return: whether the state at @address was found */
static bool solve(struct solver *s, uint64_t address, struct code_state *out)
{
	struct code_state first;

	s->round++;
	s->used = 0;
	s->nr_todo = 0;
	s->answer = (struct answer){ .sp = OPEN, .fp = OPEN };
	for (unsigned int i = 0; i < CODE_KEPT; i++)
		s->answer.saved[i] = s->answer.kept[i] = OPEN;
	code_state_search(s->w->m, &first);
	later(s, address, &first);
	while (s->nr_todo && !s->answer.wrong)
		search(s, s->todo[--s->nr_todo]);
	return conclude(s->w->m, &s->answer, out);
}

/* ------------------------------------------------------------------- all the rest */

static bool ends_flow(const struct code_walk *w, const struct code_insn *insn)
{
	const struct code_function *f;

	switch (insn->flow) {
	case CODE_JUMP:
	case CODE_JUMP_ELSEWHERE:
	case CODE_RETURN:
	case CODE_STOP:
		return true;
	case CODE_CALL:
		f = code_walk_function(w, insn->target);
		return f && !f->returns;
	default:
		return false;
	}
}

/* Return: the next address at which unreached code may begin, from @address on, where none was solved */
static uint64_t skip(const struct code_walk *w, const struct code_part *p, uint64_t address)
{
	struct code_insn insn;

	while (address < p->to && !code_walk_state(w, address)) {
		if (!code_walk_decode(w, address, &insn))
			return address + w->m->align;
		address += insn.bytes;
		if (ends_flow(w, &insn))
			break;
	}
	return address;
}

/* @more: out: set if code was solved */
static int solve_part(struct solver *s, const struct code_part *p, bool *more)
{
	struct code_walk *w = s->w;
	uint64_t address = p->from;
	struct code_state state;
	struct code_insn insn;
	int err = s->err;

	while (!p->whole && address < p->to && !code_walk_state(w, address))
		address += w->m->align;

	while (address < p->to && !err && !w->over) {
		if (code_walk_state(w, address)) {
			address += code_walk_decode(w, address, &insn) ? insn.bytes : w->m->align;
			continue;
		}
		address += w->m->padding(p->bytes + (address - p->from), p->to - address);
		if (address >= p->to || code_walk_state(w, address))
			continue;
		if (solve(s, address, &state)) {
			err = code_walk_piece(w, address, &state);
			if (!err)
				err = code_walk_run(w);
			*more = true;
		}
		err = err ? err : s->err;
		/* A solved piece, or a function that the search found */
		if (!err && code_walk_state(w, address))
			continue;
		address = skip(w, p, address);
	}
	return err;
}

/* Do two states have the same frame, as far as both know it? */
static bool agree(const struct code_machine *m, const struct code_state *a, const struct code_state *b)
{
	int32_t sp = a->value[m->sp], fp = a->value[m->fp];
	bool by_sp = is_offset(sp) && is_offset(b->value[m->sp]);

	if (by_sp)
		return sp == b->value[m->sp];
	return is_offset(fp) && fp == b->value[m->fp];
}

/* Decides about the ways that end behind a call.  @more: out: set if a way goes on */
static int solve_maybe(struct solver *s, bool *more)
{
	struct code_walk *w = s->w;
	size_t kept = 0, nr = w->nr_maybe;
	int err = 0;

	for (size_t i = 0; i < nr; i++) {
		struct code_todo one = w->maybe[i];
		const struct code_state *there = code_walk_state(w, one.address);
		struct code_state state;
		bool same;

		if (err || (!there && !solve(s, one.address, &state))) {
			w->maybe[kept++] = one;
			continue;
		}
		same = agree(w->m, &w->states.all[one.state], there ? there : &state);
		err = s->err;
		if (same && !err)
			err = code_walk_go_on(w, &one);
		*more |= same;
	}
	/* The search may have added others. */
	if (w->nr_maybe > nr)
		memmove(w->maybe + kept, w->maybe + nr, (w->nr_maybe - nr) * sizeof(*w->maybe));
	w->nr_maybe -= nr - kept;
	return err ? err : code_walk_run(w);
}

int code_solve_rest(struct code_walk *w)
{
	struct solver *s = calloc(1, sizeof(*s));
	bool more = true;
	int err = 0;

	if (s)
		s->seen = calloc(MOST, sizeof(*s->seen));
	if (!s || !s->seen)
		err = -ENOMEM;
	for (int round = 0; round < ROUNDS && more && !err && !w->over; round++) {
		s->w = w;
		more = false;
		err = solve_maybe(s, &more);
		for (size_t i = 0; i < w->nr_parts && !err; i++)
			err = solve_part(s, &w->part[i], &more);
	}
	if (s)
		free(s->seen);
	free(s);
	return err;
}
