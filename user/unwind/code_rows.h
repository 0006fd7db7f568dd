/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_rows.h - makes rules from the code of a file, where no unwind information describes it
 */
#ifndef KFLAME_UNWIND_CODE_ROWS_H
#define KFLAME_UNWIND_CODE_ROWS_H

#include <gelf.h>

#include "elf/cfi_sections.h"
#include "unwind/code_walk.h"

#define CODE_MAX_BYTES	(32u << 20)	/* of code; more is not walked */
#define CODE_MIN_BYTES	4096u		/* of undescribed code; less is padding and start code */
#define CODE_MAX_NS	12000000000ull	/* of CPU time: busybox takes 0.2 s, and 20 times that on a slow board */

/** struct code_hints - what else than the code is used */
struct code_hints {
	bool symbols;				/* of .symtab and .dynsym */
	const struct frame_table *entries;	/* functions that unwind information describes; NULL: none */
};

/**
 * code_is_wanted() - does a file have enough code without rules, and without frame pointers?
 * @described:	bytes of code that have rules
 */
bool code_is_wanted(Elf *elf, uint16_t machine, uint64_t described);

/**
 * code_walk_file() - walks the code of a file
 * @elf:	may be hostile; elf_sections_sane() has checked its headers. It must outlive @out
 * @out:	to be freed with code_walk_exit() whatever is returned
 *
 * Functions begin at the entry point, at symbols, at entries of unwind information, and where code calls
 * them. Imported functions that never return are known by name.
 *
 * Return: 0, also if not all of the code can be walked; -ENOMEM; -ENOEXEC for another machine.
 */
int code_walk_file(Elf *elf, const struct code_hints *hints, struct code_walk *out);

/**
 * code_rows_each() - hands out the rules of a range of addresses
 * @take:	called at each address where another rule begins; @rule is NULL where there is none
 *
 * Return: 0, or what @take returned if that was not 0.
 */
int code_rows_each(const struct code_walk *w, uint64_t from, uint64_t to,
		   int (*take)(void *ctx, uint64_t address, const struct kflame_rule *rule), void *ctx);

#endif
