/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_interpreter.h - run the instructions of an unwind table entry, row by row
 *
 * This is the tool's only interpreter of these instructions.  It tracks the CFA, and where the caller's
 * return address, frame pointer and base register are.  It skips what instructions say about other registers.
 */
#ifndef KFLAME_ELF_CFI_INTERPRETER_H
#define KFLAME_ELF_CFI_INTERPRETER_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "elf/cfi_entries.h"

#define CFI_MAX_SAVED	8		/* nested DW_CFA_remember_state; compilers use one level */
#define CFI_MAX_PROGRAM	(256u << 10)	/* bytes of an entry's program, and of a CIE's */

/** struct cfi_registers - the DWARF register numbers of a machine */
struct cfi_registers {
	uint64_t sp;
	uint64_t fp;
	uint64_t ra;		/* the column of the return address */
	uint64_t base;		/* preserved by calls; some code keeps the address of its frame in it */
	uint64_t last;		/* last general-purpose register; the stack pointer may follow it */
};

/** cfi_registers() - Return: the numbers of EM_X86_64 or EM_AARCH64; NULL for other machines */
const struct cfi_registers *cfi_registers(GElf_Half machine);

enum cfi_kind {
	CFI_UNSAID,		/* no instruction: the ABI's default applies */
	CFI_SAME,		/* unchanged since the call */
	CFI_UNDEFINED,		/* lost */
	CFI_SAVED,		/* in memory at CFA + .value */
	CFI_REGISTER,		/* in register .value */
	CFI_EXPRESSION,		/* in memory at the address that .block computes */
	CFI_OTHER,		/* a computed value */
};

/** struct cfi_place - where a register of the caller is */
struct cfi_place {
	enum cfi_kind kind;
	uint64_t value;		/* offsets are two's complement */
	struct bytes block;	/* in the table's data */
};

/** struct cfi_row - a row of the table that the instructions describe */
struct cfi_row {
	bool cfa_known;		/* the CFA is a register plus an offset */
	uint64_t cfa_register;
	uint64_t cfa_offset;	/* two's complement */
	struct bytes cfa_block;	/* otherwise an expression; empty: the CFA is not defined */
	struct cfi_place ra, fp, base;
};

/** struct cfi_run - a run; callers may read only .row, and .b.bad: the program is malformed from here on */
struct cfi_run {
	const struct frame_table *table;
	const struct frame_entry *entry;
	const struct cfi_registers *registers;
	struct bytes b;
	uint64_t at;
	bool done;
	unsigned int nr_saved;
	struct cfi_row row;
	struct cfi_row initial;
	struct cfi_row saved[CFI_MAX_SAVED];
};

/**
 * cfi_run_begin() - begin a run at the first row of an entry
 * @table:	must outlive the run, as must @entry and @registers
 */
void cfi_run_begin(struct cfi_run *r, const struct frame_table *table,
		   const struct frame_entry *entry, const struct cfi_registers *registers);

/**
 * cfi_run_next() - compute the next row: @r->row, valid until the next call
 * @from:	first address of the row
 * @to:		end of the row; more than @from, and never beyond the entry
 *
 * The time is proportional to the bytes of the program, whatever they are.  Addresses of rows rise.
 *
 * Return: false at the end, and if the program is malformed (@r->b.bad).  Then nothing is known about the
 * remaining addresses.
 */
bool cfi_run_next(struct cfi_run *r, uint64_t *from, uint64_t *to);

/**
 * cfi_push_end() - match the CFA expression of jump stubs on x86-64
 * @b:		a CFA expression
 *
 * Every linker writes this expression for .plt: rsp + 8 + ((rip & 15) >= N) * 8.
 *
 * Return: N: from byte N of a stub on, one more word is on the stack; -1 for any other expression.
 */
int cfi_push_end(const struct bytes *b);

#endif
