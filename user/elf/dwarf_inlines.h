/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_inlines.h - find the functions that were inlined at an address, and its source lines
 *
 * libdw trusts the file.  So only the sandbox that reads debug data may use this, see source_lookup.h.
 */
#ifndef KFLAME_ELF_DWARF_INLINES_H
#define KFLAME_ELF_DWARF_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_symbols.h"

/** struct inline_level - a function that an address is in; the strings live as long as the file */
struct inline_level {
	const char *function;	/* linkage name, else the plain name; NULL: not known */
	const char *directory;	/* directory that .source is relative to; NULL if .source is absolute */
	const char *source;	/* source file; NULL: not known */
	uint32_t line;		/* 0: not known */
};

struct inlines;

/**
 * inlines_create() - find the units of a file
 * @elf:	has .debug_info; must outlive the result
 * @segments:	where the code of the mapped file is
 * @nr:		number of segments
 *
 * Return: NULL if there is no readable debug data, or memory runs out.
 */
struct inlines *inlines_create(Elf *elf, const struct elf_segment *segments, size_t nr);

/** inlines_destroy() - free it; accepts NULL */
void inlines_destroy(struct inlines *x);

/**
 * inlines_find() - find the functions at an address
 * @levels:	gets the innermost function first, with the line of the address.  Each further level is the
 *		function into which the previous one was inlined, with the line of that call.  The last level
 *		was not inlined
 * @most:	room in @levels; further outer levels are left out
 *
 * Return: number of levels; 0 if nothing is known, or memory runs out.
 */
size_t inlines_find(struct inlines *x, uint64_t address, struct inline_level *levels,
		    size_t most);

#endif
