/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_search.h - find where in a file a function is, by its name or its address
 *
 * A sandbox reads the symbol tables, because a file may be hostile.  The tool checks the answer.
 */
#ifndef KFLAME_ELF_SYMBOL_SEARCH_H
#define KFLAME_ELF_SYMBOL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/near_names.h"
#include "sandbox/sandbox.h"

enum symbol_state {
	SYMBOL_FOUND,		/* .offset and .address are set */
	SYMBOL_MISSING,		/* no symbol has that name; .near has similar ones */
	SYMBOL_DATA,		/* the symbol is no code */
	SYMBOL_IFUNC,		/* its function is chosen when the program starts */
	SYMBOL_IMPORTED,	/* the function is in another file */
	SYMBOL_SEVERAL,		/* several functions have that name; .address and .other are two of them */
	SYMBOL_OUTSIDE,		/* the offset is not in the function, or the address not in the code */
	SYMBOL_DAMAGED,		/* not an ELF file that can be read */
	SYMBOL_NR_STATES
};

/** struct symbol_place - the answer; addresses are those that the file was linked at */
struct symbol_place {
	uint32_t state;		/* enum symbol_state */
	uint64_t offset;	/* in the file, with the offset that was asked for */
	uint64_t address;
	uint64_t other;
	uint64_t bytes;		/* of the function; 0: the table has no size */
	struct near_names near;
};

/**
 * symbol_search() - find a function; runs in a sandbox or in a test
 * @fd:		the file
 * @debug:	its separate debug file; -1 if there is none
 * @name:	of the symbol; NULL: @by is the address
 * @by:		bytes after the begin of the function
 *
 * All tables count: .symtab, .dynsym, those of the debug file and of MiniDebugInfo.  Of functions with the same
 * name, one that other files can use is preferred.
 */
void symbol_search(int fd, int debug, const char *name, uint64_t by, struct symbol_place *out);

/**
 * symbol_ask() - let a sandbox do symbol_search(), with the rights of the file's owner
 *
 * Return: 0 with @out, whose numbers are within their limits and whose names are printable; a negative errno.
 */
int symbol_ask(int fd, int debug, const char *name, uint64_t by, struct symbol_place *out);

/** symbol_work - for sandbox_main() */
extern const struct sandbox_work symbol_work;

#endif
