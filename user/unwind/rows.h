/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - all that a file's unwind information says, by file offset
 *
 * The programs of all entries of .eh_frame are run, and of .debug_frame for what that says
 * nothing of; where the program begins is the outermost frame. Addresses become file offsets by the executable PT_LOAD headers: what a mapping
 * tells.
 */
#ifndef KFLAME_UNWIND_ROWS_H
#define KFLAME_UNWIND_ROWS_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "unwind/row_list.h"
#include "unwind/rule.h"

/** struct unwind_rules - rules, each once; all zero is an empty one */
struct unwind_rules {
	struct kflame_rule *all;
	size_t nr, cap;
	struct index index;
	uint64_t seed;			/* of its hashes */
};

/** struct unwind_rows - what unwind_rows_read() found */
struct unwind_rows {
	struct row_list rows;		/* of numbers in .rules, never UNWIND_GAP */
	struct unwind_rules rules;	/* the first one is KFLAME_CFA_NONE; KFLAME_TABLE_RULES
					 * at most */
	uint16_t machine;		/* EM_* */
	uint64_t code;			/* bytes that may be executed */
	uint64_t covered;		/* of these, those that rows say something of */
	uint64_t entries;		/* FDEs that say something of this file's code */
	uint64_t lost[UNWIND_LOSSES];	/* rows that are KFLAME_CFA_NONE though DWARF says
					 * something, by cause */
};

/**
 * unwind_rows_read() - reads them
 * @elf:	64 bits wide and little-endian, of x86-64 or arm64; nobody vouches for it, but
 *		elf_sections_sane() does for its headers
 * @out:	to be freed with unwind_rows_exit() whatever is returned
 *
 * Rows rise, and after what is described there is a row of KFLAME_CFA_NONE, or of KFLAME_CFA_END where
 * only padding follows up to the next function. Where entries
 * overlap, the one that begins first holds to its end. Bounded: 64 segments, 8 GiB of a file,
 * UNWIND_MAX_ROWS, CFI_MAX_PROGRAM bytes of a program and 128 MiB of all
 * of both sections (elf/cfi_sections.h); what is beyond is
 * KFLAME_CFA_NONE, and counted.
 *
 * Return: 0, also of damage and where there is nothing (@out->entries is 0); -ENOEXEC: of
 * another machine; -ENOMEM.
 */
int unwind_rows_read(Elf *elf, struct unwind_rows *out);

/** unwind_rows_exit() - frees what unwind_rows_read() took */
void unwind_rows_exit(struct unwind_rows *r);

#endif
