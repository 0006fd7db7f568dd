// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_walk.c - follows the instructions of all functions, to know where each frame begins
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "unwind/code_walk.h"

#define STUB_BYTES	16	/* a function of that size that ends with a computed jump is a jump stub */
#define MOST_TAILS	8	/* functions that end with a jump to the next one */

int code_walk_add(struct code_walk *w, uint64_t from, uint64_t to, const unsigned char *bytes, bool whole)
{
	struct code_part *p = &w->part[w->nr_parts];

	if (w->nr_parts == CODE_PARTS || from >= to)
		return 0;
	*p = (struct code_part){ .from = from, .to = to, .bytes = bytes, .whole = whole };
	p->state = calloc((to - from) / w->m->align + 1, sizeof(*p->state));
	p->owner = calloc((to - from) / w->m->align + 1, sizeof(*p->owner));
	w->nr_parts++;
	return p->state && p->owner ? 0 : -ENOMEM;
}

struct code_part *code_walk_part(const struct code_walk *w, uint64_t address)
{
	for (size_t i = 0; i < w->nr_parts; i++)
		if (address >= w->part[i].from && address < w->part[i].to && !(address % w->m->align))
			return (struct code_part *)&w->part[i];
	return NULL;
}

static size_t slot(const struct code_walk *w, const struct code_part *p, uint64_t address)
{
	return (address - p->from) / w->m->align;
}

bool code_walk_decode(const struct code_walk *w, uint64_t address, struct code_insn *out)
{
	const struct code_part *p = code_walk_part(w, address);

	return p && w->m->decode(p->bytes + (address - p->from), p->to - address, address, out);
}

const struct code_state *code_walk_state(const struct code_walk *w, uint64_t address)
{
	const struct code_part *p = code_walk_part(w, address);
	uint32_t number = p ? p->state[slot(w, p, address)] : 0;

	return number ? &w->states.all[number - 1] : NULL;
}

const struct code_function *code_walk_owner(const struct code_walk *w, uint64_t address)
{
	const struct code_part *p = code_walk_part(w, address);

	return p && p->state[slot(w, p, address)] ? &w->functions[p->owner[slot(w, p, address)]] : NULL;
}

const struct code_function *code_walk_function(const struct code_walk *w, uint64_t address)
{
	uint32_t i = idmap_find(&w->by_start, address);

	return i == INDEX_NONE ? NULL : &w->functions[i];
}

/* ------------------------------------------------------------- what is to be done */

static int put_todo(struct code_walk *w, uint64_t address, uint32_t state, uint32_t owner)
{
	int err = grow(&w->todo, w->nr_todo, &w->cap_todo, sizeof(*w->todo));

	if (!err)
		w->todo[w->nr_todo++] = (struct code_todo){ address, state, owner };
	return err;
}

static int put_state(struct code_walk *w, uint64_t address, const struct code_state *s, uint32_t owner)
{
	uint32_t number;
	int err = code_states_put(&w->states, s, &number);

	return err ? err : put_todo(w, address, number, owner);
}

/* @number: out: of the function; INDEX_NONE without memory */
static int get_function(struct code_walk *w, uint64_t start, bool begins, uint32_t *number)
{
	struct code_state s;
	int err;

	*number = idmap_find(&w->by_start, start);
	if (*number == INDEX_NONE) {
		err = grow(&w->functions, w->nr_functions, &w->cap_functions, sizeof(*w->functions));
		if (!err)
			err = idmap_set(&w->by_start, start, (uint32_t)w->nr_functions);
		if (err)
			return err;
		*number = (uint32_t)w->nr_functions;
		w->functions[w->nr_functions++] = (struct code_function){ .start = start };
	}
	if (!begins || w->functions[*number].begins)
		return 0;
	w->functions[*number].begins = true;
	code_state_begin(w->m, &s);
	return put_state(w, start, &s, *number);
}

int code_walk_start(struct code_walk *w, uint64_t address)
{
	uint32_t number;

	return code_walk_part(w, address) ? get_function(w, address, true, &number) : 0;
}

int code_walk_never(struct code_walk *w, uint64_t address)
{
	uint32_t number;
	int err = get_function(w, address, false, &number);

	if (!err)
		w->functions[number].never = true;
	return err;
}

int code_walk_piece(struct code_walk *w, uint64_t address, const struct code_state *s)
{
	uint32_t number;
	int err = get_function(w, address, false, &number);

	return err ? err : put_state(w, address, s, number);
}

/* ---------------------------------------------------------------- who returns */

/* Notes that a function returns, and so do the functions that end with a jump to it */
static int returns(struct code_walk *w, uint32_t number)
{
	uint32_t waiting = w->functions[number].waiting;
	int err = 0;

	if (w->functions[number].returns || w->functions[number].never)
		return 0;
	w->functions[number].returns = true;
	w->functions[number].waiting = 0;
	/* An owner's waits go to the front of this list, so there is no recursion. */
	while (waiting && !err) {
		struct code_wait *one = &w->waits[waiting - 1];
		struct code_function *owner = &w->functions[one->owner];

		waiting = one->next;
		if (one->address) {
			err = put_todo(w, one->address, one->state, one->owner);
		} else if (!owner->returns && !owner->never) {
			uint32_t last = owner->waiting;

			owner->returns = true;
			while (last && w->waits[last - 1].next)
				last = w->waits[last - 1].next;
			if (last) {
				w->waits[last - 1].next = waiting;
				waiting = owner->waiting;
				owner->waiting = 0;
			}
		}
	}
	return err;
}

/* @address: where the walk goes on once function @number returns; 0: only the owner returns then */
static int wait_for(struct code_walk *w, uint32_t number, uint64_t address, const struct code_state *s,
		    uint32_t owner)
{
	uint32_t state = 0;
	int err = address ? code_states_put(&w->states, s, &state) : 0;

	if (err)
		return err;
	if (w->functions[number].returns)
		return address ? put_todo(w, address, state, owner) : returns(w, owner);
	err = grow(&w->waits, w->nr_waits, &w->cap_waits, sizeof(*w->waits));
	if (err)
		return err;
	w->waits[w->nr_waits++] = (struct code_wait){ address, state, owner,
						      w->functions[number].waiting };
	w->functions[number].waiting = (uint32_t)w->nr_waits;
	return 0;
}

/* ------------------------------------------------------------------------ walk */

static void blame(struct code_walk *w, uint32_t owner)
{
	w->functions[owner].bad = true;
}

bool code_walk_surely_returns(const struct code_walk *w, uint64_t address)
{
	uint32_t number = idmap_find(&w->by_start, address);

	for (int hops = 0; number != INDEX_NONE && hops < MOST_TAILS; hops++) {
		const struct code_function *f = &w->functions[number];

		if (f->never || f->surely || !f->tail)
			return !f->never && f->surely;
		number = f->tail - 1;
	}
	return false;
}

/* A jump to the beginning of another function, where a tail call goes */
static int jump(struct code_walk *w, uint64_t target, const struct code_state *s, uint32_t owner)
{
	uint32_t number = idmap_find(&w->by_start, target);

	if (!code_walk_part(w, target)) {
		blame(w, owner);
		return returns(w, owner);
	}
	if (number == INDEX_NONE || !w->functions[number].begins || number == owner)
		return put_state(w, target, s, owner);
	if (!code_state_begins(w->m, s))
		blame(w, owner);
	w->functions[owner].tail = number + 1;
	return wait_for(w, number, 0, NULL, owner);
}

bool code_walk_behind_call(const struct code_walk *w, uint64_t *next)
{
	const struct code_part *p = code_walk_part(w, *next);
	size_t padding;

	if (!p)
		return false;
	padding = w->m->padding(p->bytes + (*next - p->from), p->to - *next);
	if (!padding || (*next + padding) % CODE_ALIGN)
		return false;
	*next += padding;
	return true;
}

int code_walk_go_on(struct code_walk *w, const struct code_todo *todo)
{
	return put_todo(w, todo->address, todo->state, todo->owner);
}

static int put_maybe(struct code_walk *w, uint64_t address, const struct code_state *s, uint32_t owner)
{
	uint32_t state;
	int err = code_states_put(&w->states, s, &state);

	if (!err)
		err = grow(&w->maybe, w->nr_maybe, &w->cap_maybe, sizeof(*w->maybe));
	if (!err)
		w->maybe[w->nr_maybe++] = (struct code_todo){ address, state, owner };
	return err;
}

static int call(struct code_walk *w, const struct code_insn *insn, uint64_t next, struct code_state *s,
		uint32_t owner, bool *on)
{
	uint32_t number;
	int err;

	*on = false;
	if (!code_walk_part(w, insn->target)) {
		blame(w, owner);
		return returns(w, owner);
	}
	err = get_function(w, insn->target, true, &number);
	code_state_call(w->m, s);
	if (!err && code_walk_behind_call(w, &next))
		return put_maybe(w, next, s, owner);
	return err ? err : wait_for(w, number, next, s, owner);
}

/* Does what an instruction does.  @on: out: does the one behind it follow? */
static int follow(struct code_walk *w, const struct code_insn *insn, uint64_t next, struct code_state *s,
		  uint32_t owner, bool *on)
{
	*on = true;
	switch (insn->flow) {
	case CODE_NEXT:
		return 0;
	case CODE_BRANCH:
		return jump(w, insn->target, s, owner);
	case CODE_CALL_ELSEWHERE:
		code_state_call(w->m, s);
		*on = !code_walk_behind_call(w, &next);
		return *on ? 0 : put_maybe(w, next, s, owner);
	case CODE_CALL:
		return call(w, insn, next, s, owner, on);
	case CODE_JUMP:
		*on = false;
		return jump(w, insn->target, s, owner);
	case CODE_RETURN:
		*on = false;
		if (!code_state_returns(w->m, s))
			blame(w, owner);
		w->functions[owner].surely = true;
		return returns(w, owner);
	case CODE_JUMP_ELSEWHERE:
		/* A tail call, or a jump into the same function, which may return. */
		*on = false;
		if (next - w->functions[owner].start <= STUB_BYTES)
			w->functions[owner].surely = true;
		return returns(w, owner);
	default:
		*on = false;
		return 0;
	}
}

bool code_walk_may_go_on(struct code_walk *w)
{
	if (!w->steps_left-- || (w->steps_left % 4096 == 0 && clock_ns(CLOCK_THREAD_CPUTIME_ID) > w->until))
		w->over = true;
	return !w->over;
}

/*
 * Joins a state with what is known at an instruction.  @number: the state; out: the joined one.
 * @on: out: whether the instruction must be walked (again)
 */
static int join(struct code_walk *w, struct code_part *p, uint64_t address, uint32_t owner, uint32_t *number,
		bool *on)
{
	size_t at = slot(w, p, address);
	struct code_state s;
	bool clash;

	*on = true;
	if (!p->state[at]) {
		p->state[at] = *number + 1;
		p->owner[at] = owner;
		return 0;
	}
	*on = false;
	if (p->owner[at] != owner) {
		w->functions[owner].tail = p->owner[at] + 1;
		int err = wait_for(w, p->owner[at], 0, NULL, owner);

		if (err)
			return err;
	}
	if (p->state[at] == *number + 1)
		return 0;
	s = w->states.all[p->state[at] - 1];
	*on = code_state_meet(w->m, &s, &w->states.all[*number], &clash);
	if (clash) {
		blame(w, owner);
		blame(w, p->owner[at]);
	}
	if (!*on)
		return 0;
	p->state[at] = 0;
	if (code_states_put(&w->states, &s, number))
		return -E2BIG;
	p->state[at] = *number + 1;
	return 0;
}

/* Walks from one instruction on, up to where the way ends or joins one that was walked */
static int walk(struct code_walk *w, struct code_todo todo)
{
	struct code_part *p = code_walk_part(w, todo.address);
	uint64_t address = todo.address;
	struct code_insn insn;
	struct code_state s;
	bool on = true;
	int err = 0;

	while (!err && on && code_walk_may_go_on(w)) {
		uint32_t begins = idmap_find(&w->by_start, address);

		if (!p || address >= p->to) {
			blame(w, todo.owner);
			return returns(w, todo.owner);
		}
		/* A function that goes on in the next one, as by a tail call; else a call did not return. */
		if (begins != INDEX_NONE && begins != todo.owner && w->functions[begins].begins) {
			s = w->states.all[todo.state];
			return code_state_begins(w->m, &s) ? jump(w, address, &s, todo.owner) : 0;
		}
		err = join(w, p, address, todo.owner, &todo.state, &on);
		if (err || !on)
			break;
		s = w->states.all[todo.state];
		if (!w->m->decode(p->bytes + (address - p->from), p->to - address, address, &insn)) {
			blame(w, todo.owner);
			return returns(w, todo.owner);
		}
		code_state_apply(w->m, &s, &insn, false);
		if (code_state_is_above(w->m, &s)) {
			blame(w, todo.owner);
			return returns(w, todo.owner);
		}
		address += insn.bytes;
		err = follow(w, &insn, address, &s, todo.owner, &on);
		if (!err && on && memcmp(&s, &w->states.all[todo.state], sizeof(s)))
			err = code_states_put(&w->states, &s, &todo.state);
	}
	return err;
}

int code_walk_run(struct code_walk *w)
{
	int err = 0;

	while (w->nr_todo && !err && !w->over)
		err = walk(w, w->todo[--w->nr_todo]);
	return err;
}

void code_walk_exit(struct code_walk *w)
{
	for (size_t i = 0; i < w->nr_parts; i++) {
		free(w->part[i].state);
		free(w->part[i].owner);
	}
	free(w->functions);
	free(w->waits);
	free(w->todo);
	free(w->maybe);
	idmap_exit(&w->by_start);
	code_states_exit(&w->states);
	memset(w, 0, sizeof(*w));
}
