/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_state.h - what is known about registers and saved registers at an instruction
 *
 * All addresses are relative to the canonical frame address (CFA).
 */
#ifndef KFLAME_UNWIND_CODE_STATE_H
#define KFLAME_UNWIND_CODE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "uapi/kflame.h"
#include "unwind/code_insn.h"

#define CODE_REGS	32

/* Values other than an offset from the CFA */
#define CODE_UNKNOWN	INT32_MIN
#define CODE_SAME	(INT32_MIN + 1)	/* what it was when the function was called */
/*
 * In a search without a known beginning (code_solve.h), the frame pointer's first value is this, and
 * offsets from it lie around it. Offsets from the first stack pointer lie around 0.
 */
#define CODE_FP_BASE	(1 << 29)
#define CODE_FAR	(1 << 27)	/* an offset of that size becomes CODE_UNKNOWN */

/** enum code_kept - registers whose caller's values matter */
enum code_kept {
	CODE_KEPT_FP,
	CODE_KEPT_BASE,
	CODE_KEPT_LINK,		/* its first value is the return address */
	CODE_KEPT,
};

/** struct code_state - what is known before an instruction */
struct code_state {
	int32_t value[CODE_REGS];	/* of each register: offset from the CFA, or one of the above */
	int32_t saved[CODE_KEPT];	/* where the caller's value is saved; CODE_UNKNOWN: nowhere */
	int32_t loaded[CODE_KEPT];	/* search only: where the register's value was loaded from */
};

/** code_state_begin() - the state at the first instruction of a function */
void code_state_begin(const struct code_machine *m, struct code_state *s);

/** code_state_search() - the state at the first instruction of a search, of which nothing is known */
void code_state_search(const struct code_machine *m, struct code_state *s);

/** code_state_apply() - changes a state as an instruction does */
void code_state_apply(const struct code_machine *m, struct code_state *s, const struct code_insn *insn,
		      bool search);

/** code_state_call() - forgets what a call does not preserve */
void code_state_call(const struct code_machine *m, struct code_state *s);

/**
 * code_state_meet() - reduces @s to what @other says, too
 * @clash:	out: whether the two know the stack pointer or the frame pointer, and disagree, and no frame pointer
 *		on which they agree explains that
 *
 * Return: whether @s changed.
 */
bool code_state_meet(const struct code_machine *m, struct code_state *s, const struct code_state *other,
		     bool *clash);

/** code_state_returns() - may a function return in this state, by the ABI?  An unknown value may be right */
bool code_state_returns(const struct code_machine *m, const struct code_state *s);

/** code_state_is_above() - is the stack pointer above the return address, or on it? */
bool code_state_is_above(const struct code_machine *m, const struct code_state *s);

/** code_state_begins() - is it the state in which a function begins, as at a tail call? */
bool code_state_begins(const struct code_machine *m, const struct code_state *s);

/** code_state_rule() - makes the module's rule; KFLAME_CFA_NONE if the state does not determine one */
void code_state_rule(const struct code_machine *m, const struct code_state *s, struct kflame_rule *rule);

/** code_kept() - Return: enum code_kept of a register; CODE_KEPT for another register */
enum code_kept code_kept(const struct code_machine *m, uint8_t reg);

/** struct code_states - distinct states; all zero is an empty set */
struct code_states {
	struct code_state *all;
	size_t nr, cap;
	struct index index;
};

#define CODE_MOST_STATES	(1u << 18)

/** code_states_put() - finds or adds a state.  @number: out.  Return: 0, -ENOMEM or -E2BIG */
int code_states_put(struct code_states *all, const struct code_state *s, uint32_t *number);

void code_states_exit(struct code_states *all);

#endif
