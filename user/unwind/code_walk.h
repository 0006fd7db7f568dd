/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_walk.h - follows the instructions of all functions, to know where each frame begins
 *
 * A walk starts at functions. It follows each way through a function, and notes what is known before each
 * instruction (code_state.h). Where two ways meet, only that remains on which they agree. Functions that
 * are called are walked, too. Behind a call the walk goes on only once the called function is known to
 * return: what follows a call of abort() belongs to other code.
 *
 * Some code is reached only by computed jumps, or belongs to functions that only a pointer names. The walk
 * does not see how it is reached. code_solve.h finds what must have been known there, by where it leads.
 *
 * A function that contradicts itself gets no answer at all: one that returns with a wrong stack pointer,
 * or that has two ways into an instruction with different stack pointers.
 */
#ifndef KFLAME_UNWIND_CODE_WALK_H
#define KFLAME_UNWIND_CODE_WALK_H

#include "unwind/code_state.h"

/** struct code_part - a piece of code; the walk owns .state and .owner */
struct code_part {
	uint64_t from, to;		/* addresses */
	const unsigned char *bytes;
	bool whole;			/* an instruction begins at .from; else other bytes may be there */
	uint32_t *state;		/* by address: number of the state before the instruction, plus 1 */
	uint32_t *owner;		/* by address: the function */
};

struct code_function {
	uint64_t start;
	bool returns;		/* one of its ways returns, or may do so */
	bool surely;		/* it has a return instruction, or it is a jump stub */
	bool never;		/* it is known by name to never return */
	bool begins;		/* it is walked from .start on; else a solved piece */
	bool bad;		/* it contradicts itself */
	uint32_t tail;		/* a function that it ends with a jump to, plus 1 */
	uint32_t waiting;	/* first item of .waits, plus 1 */
};

/* What happens once a function is known to return */
struct code_wait {
	uint64_t address;	/* the walk goes on here; 0: only .owner returns, too */
	uint32_t state;
	uint32_t owner;
	uint32_t next;		/* plus 1; 0: none */
};

/* An instruction that is still to be walked */
struct code_todo {
	uint64_t address;
	uint32_t state;
	uint32_t owner;
};

/* An alignment of functions and loops */
#define CODE_ALIGN	16

#define CODE_PARTS	64
#define CODE_STEPS	(200u << 20)	/* instructions at most, with those that are looked at again */

struct code_walk {
	const struct code_machine *m;
	struct code_part part[CODE_PARTS];
	size_t nr_parts;
	struct code_states states;
	struct code_function *functions;
	size_t nr_functions, cap_functions;
	struct idmap by_start;
	struct code_wait *waits;
	size_t nr_waits, cap_waits;
	struct code_todo *todo;
	size_t nr_todo, cap_todo;
	struct code_todo *maybe;	/* instructions behind calls that perhaps never return */
	size_t nr_maybe, cap_maybe;
	uint64_t steps_left;
	uint64_t until;		/* processor time of the thread, ns */
	bool over;		/* a limit was reached: nothing more is walked */
};

/**
 * code_walk_add() - adds code, before anything is walked
 * @bytes:	not copied
 * @whole:	does an instruction begin at @from?
 *
 * Return: 0 or -ENOMEM.
 */
int code_walk_add(struct code_walk *w, uint64_t from, uint64_t to, const unsigned char *bytes, bool whole);

/** code_walk_start() - notes that a function begins at an address.  Return: 0 or -ENOMEM */
int code_walk_start(struct code_walk *w, uint64_t address);

/** code_walk_never() - notes that the function at an address never returns.  Return: 0 or -ENOMEM */
int code_walk_never(struct code_walk *w, uint64_t address);

/**
 * code_walk_piece() - notes the state before an instruction that no way leads to
 *
 * Return: 0 or -ENOMEM.
 */
int code_walk_piece(struct code_walk *w, uint64_t address, const struct code_state *s);

/** code_walk_run() - walks all that was noted.  Return: 0, -ENOMEM or -E2BIG for too many states */
int code_walk_run(struct code_walk *w);

/**
 * code_walk_behind_call() - is it uncertain whether a call returns, because there is padding behind it?
 * @next:	the address behind the call; out: the aligned address behind padding
 *
 * A compiler aligns a function, but also a loop. Behind a call that never returns, the next function
 * begins. Such a way is put into .maybe, and code_solve.h decides.
 */
bool code_walk_behind_call(const struct code_walk *w, uint64_t *next);

/** code_walk_go_on() - notes that the walk goes on from @todo, after all.  Return: 0 or -ENOMEM */
int code_walk_go_on(struct code_walk *w, const struct code_todo *todo);

/** code_walk_may_go_on() - counts an instruction.  Return: false beyond a limit */
bool code_walk_may_go_on(struct code_walk *w);

/** code_walk_part() - Return: the part that an address is in; NULL for none */
struct code_part *code_walk_part(const struct code_walk *w, uint64_t address);

/** code_walk_decode() - decodes the instruction at an address.  Return: false for none */
bool code_walk_decode(const struct code_walk *w, uint64_t address, struct code_insn *out);

/** code_walk_state() - Return: the state before the instruction at @address; NULL if it was not walked */
const struct code_state *code_walk_state(const struct code_walk *w, uint64_t address);

/** code_walk_owner() - Return: the function of an instruction that was walked */
const struct code_function *code_walk_owner(const struct code_walk *w, uint64_t address);

/** code_walk_function() - Return: the function that begins at an address; NULL for none */
const struct code_function *code_walk_function(const struct code_walk *w, uint64_t address);

/**
 * code_walk_surely_returns() - does the function at an address return?
 *
 * A function that only ends with computed jumps may be one that never returns. So code behind its calls
 * proves nothing.
 */
bool code_walk_surely_returns(const struct code_walk *w, uint64_t address);

void code_walk_exit(struct code_walk *w);

#endif
