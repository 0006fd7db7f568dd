/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_interpreter.h - runs the instructions of an unwind table's entry, row by row
 *
 * For the tool the one interpreter of them. It keeps what is asked for: where the CFA is, and
 * where the caller's return address, frame pointer and base register are. What instructions say of other
 * registers is read over.
 */
#ifndef KFLAME_ELF_CFI_INTERPRETER_H
#define KFLAME_ELF_CFI_INTERPRETER_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "elf/cfi_entries.h"

#define CFI_MAX_SAVED	8		/* states remembered; compilers nest them once */
#define CFI_MAX_PROGRAM	(256u << 10)	/* bytes of an entry's program, and of a CIE's */

/** struct cfi_registers - the DWARF numbers that a machine gives to registers */
struct cfi_registers {
	uint64_t sp;
	uint64_t fp;
	uint64_t ra;		/* the column of the return address */
	uint64_t base;		/* kept by calls; some code has its frame's address in it */
	uint64_t last;		/* the last one of general use; the stack pointer may be beyond */
};

/** cfi_registers() - Return: those of EM_X86_64 and EM_AARCH64; NULL of others */
const struct cfi_registers *cfi_registers(GElf_Half machine);

enum cfi_kind {
	CFI_UNSAID,		/* nothing is said: as the ABI has it */
	CFI_SAME,		/* it has what it had at the call */
	CFI_UNDEFINED,		/* nobody knows */
	CFI_SAVED,		/* it is in memory at .value from the CFA */
	CFI_REGISTER,		/* it is in register .value */
	CFI_EXPRESSION,		/* it is in memory where .block says */
	CFI_OTHER,		/* a value that is computed */
};

/** struct cfi_place - where the caller's register is */
struct cfi_place {
	enum cfi_kind kind;
	uint64_t value;		/* offsets are two's complement */
	struct bytes block;	/* in the table's data */
};

/** struct cfi_row - a row of the table that the instructions describe */
struct cfi_row {
	bool cfa_known;		/* it is a register and an offset */
	uint64_t cfa_register;
	uint64_t cfa_offset;	/* two's complement */
	struct bytes cfa_block;	/* otherwise an expression; empty: nothing was said */
	struct cfi_place ra, fp, base;
};

/** struct cfi_run - a run; only .row is anybody else's, and .b.bad: it makes no sense from here */
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
 * cfi_run_begin() - begins at an entry's first row
 * @table:	must outlive the run, as must the next two
 */
void cfi_run_begin(struct cfi_run *r, const struct frame_table *table,
		   const struct frame_entry *entry, const struct cfi_registers *registers);

/**
 * cfi_run_next() - the next row: @r->row, until the next call
 * @from:	its first address
 * @to:		one past the last; more than @from, and never beyond the entry
 *
 * Takes time by the bytes of the program, whatever they are. Rows rise.
 *
 * Return: false at the end, and where the program makes no sense (@r->b.bad): nothing is
 * known of what has not come by then.
 */
bool cfi_run_next(struct cfi_run *r, uint64_t *from, uint64_t *to);

/**
 * cfi_push_end() - is it the CFA of jump stubs of x86-64?
 * @b:		the expression of a CFA
 *
 * As every linker writes it for .plt: rsp + 8 + ((rip & 15) >= N) * 8.
 *
 * Return: N: from that byte of a stub on there is a word more on the stack; -1 if it is another.
 */
int cfi_push_end(const struct bytes *b);

#endif
