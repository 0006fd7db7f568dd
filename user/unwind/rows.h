/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - reads all unwind information of a file, by file offset
 *
 * The CFI programs of all entries of .eh_frame are run. For code that .eh_frame does not describe, the
 * entries of .debug_frame are used. If much code is described by neither, rules are made from the code. The
 * entry point of a program is an outermost frame. The executable PT_LOAD headers convert addresses to file offsets, which the mappings of a process use.
 */
#ifndef KFLAME_UNWIND_ROWS_H
#define KFLAME_UNWIND_ROWS_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/row_list.h"
#include "unwind/rule.h"
#include "unwind/rules.h"

/** struct unwind_rows - the result of unwind_rows_read() */
struct unwind_rows {
	struct row_list rows;		/* with numbers of .rules, never UNWIND_GAP */
	struct unwind_rules rules;	/* rule 0 is KFLAME_CFA_NONE; at most KFLAME_TABLE_RULES */
	uint16_t machine;		/* EM_* */
	uint64_t code;			/* bytes of executable code */
	uint64_t covered;		/* bytes of it that rules describe */
	bool by_code;			/* some rules are made from code (code_rows.h) */
	uint64_t entries;		/* FDEs that describe code of this file */
	uint64_t lost[UNWIND_LOSSES];	/* by cause: rows of DWARF that became KFLAME_CFA_NONE */
};

/**
 * unwind_rows_read() - reads the unwind information of a file
 * @elf:	a 64-bit little-endian file for x86-64 or arm64. It may be hostile; elf_sections_sane() has
 *		checked its headers
 * @out:	to be freed with unwind_rows_exit() whatever is returned
 *
 * Rows are sorted by offset. After described code there is a row of KFLAME_CFA_NONE. If only padding
 * follows up to the next function, it is a row of KFLAME_CFA_END. If entries overlap, the entry that
 * begins first applies up to its end.
 *
 * The limits are 64 segments, 8 GiB of a file, UNWIND_MAX_ROWS rows, CFI_MAX_PROGRAM bytes of a program,
 * and 128 MiB of programs of both sections (elf/cfi_sections.h). Code beyond a limit gets
 * KFLAME_CFA_NONE, and is counted.
 *
 * Return: 0, even for a damaged file or without unwind information (@out->entries is 0); -ENOEXEC for
 * another machine; -ENOMEM.
 */
int unwind_rows_read(Elf *elf, struct unwind_rows *out);

/** unwind_rows_exit() - frees the result of unwind_rows_read() */
void unwind_rows_exit(struct unwind_rows *r);

#endif
