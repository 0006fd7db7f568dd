/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_insn.h - what an instruction does to the registers that unwinding needs
 *
 * A decoder of our own, because it must run in every sandbox and on targets without Capstone.  It decodes
 * only the length of an instruction, where it goes, and how it changes the stack pointer, the frame pointer
 * and the registers that may hold their values.  tests/unit/test_code_insn.c compares it with Capstone.
 */
#ifndef KFLAME_UNWIND_CODE_INSN_H
#define KFLAME_UNWIND_CODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum code_flow - which instruction comes next */
enum code_flow {
	CODE_NEXT,		/* the one behind it */
	CODE_BRANCH,		/* the one behind it, or the one at .target */
	CODE_JUMP,		/* the one at .target */
	CODE_JUMP_ELSEWHERE,	/* one whose address was computed */
	CODE_CALL,		/* the function at .target, and then the one behind it */
	CODE_CALL_ELSEWHERE,	/* a function whose address was computed, and then the one behind it */
	CODE_RETURN,		/* the caller's */
	CODE_STOP,		/* none: a trap */
};

/** enum code_op_kind - a step of an instruction */
enum code_op_kind {
	CODE_SET,		/* register to = register from + add */
	CODE_LOAD,		/* register to = word at (register from + add) */
	CODE_STORE,		/* word at (register to + add) = register from */
};

struct code_op {
	uint8_t kind;
	uint8_t to, from;	/* registers by the number in the code; arm64: 31 is sp */
	int32_t add;
};

#define CODE_OPS	4	/* most steps of an instruction */

/** struct code_insn - one instruction */
struct code_insn {
	uint32_t bytes;
	enum code_flow flow;
	uint64_t target;
	uint32_t nr_ops;
	uint32_t lost;		/* mask of registers that get another value, after the steps */
	struct code_op op[CODE_OPS];
};

/** struct code_machine - the registers and rules of a machine */
struct code_machine {
	uint16_t machine;	/* EM_* */
	uint8_t sp, fp, base;	/* register numbers; base: KFLAME_BASE_REG */
	uint8_t link;		/* the link register; 0: the return address is on the stack */
	uint8_t align;		/* of an instruction */
	uint32_t followed;	/* mask of registers whose values are followed */
	uint32_t call_loses;	/* mask of those that a call does not preserve */
	/*
	 * Decode the instruction at @code, of which there are @left bytes.
	 * Return: false if it is no known instruction
	 */
	bool (*decode)(const unsigned char *code, size_t left, uint64_t address, struct code_insn *out);
	/* Return: how many bytes of padding begin at @code */
	size_t (*padding)(const unsigned char *code, size_t left);
};

/** code_machine() - Return: the description of a machine (EM_*); NULL for one that is not supported */
const struct code_machine *code_machine(uint16_t machine);

extern const struct code_machine code_x86_64, code_arm64;

#endif
