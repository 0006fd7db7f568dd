/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_inlines.h - the functions that were inlined at an address, and its source lines
 *
 * libdw reads whatever a file holds: only for the process that reads debug data, see
 * source_lookup.h.
 */
#ifndef KFLAME_ELF_DWARF_INLINES_H
#define KFLAME_ELF_DWARF_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_symbols.h"

/** struct inline_level - a function that an address is in; strings live as long as the file */
struct inline_level {
	const char *function;	/* linkage name, else the plain one; NULL: not known */
	const char *directory;	/* where .source is relative to; NULL where it is not */
	const char *source;	/* source file; NULL: not known */
	uint32_t line;		/* 0: not known */
};

struct inlines;

/**
 * inlines_create() - finds the units of a file
 * @elf:	has .debug_info; must outlive it
 * @segments:	where the code of the mapped file is
 * @nr:		number of them
 *
 * Return: NULL where there is no debug data that can be read, or no memory.
 */
struct inlines *inlines_create(Elf *elf, const struct elf_segment *segments, size_t nr);

/** inlines_destroy() - frees it; takes NULL */
void inlines_destroy(struct inlines *x);

/**
 * inlines_find() - what is at an address
 * @levels:	gets the innermost function first, and the line of the address in it; then
 *		that into which it was inlined, and the line where; the last is none that
 *		was inlined.  Of more than @most, the outermost ones are left out
 *
 * Return: how many; 0 for none, or without memory.
 */
size_t inlines_find(struct inlines *x, uint64_t address, struct inline_level *levels,
		    size_t most);

#endif
