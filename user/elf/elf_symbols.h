/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symbols.h - find the functions of an ELF file by file offset
 *
 * A mapping is described by file offsets.  So this converts addresses to file offsets once, by the PT_LOAD
 * headers.  Then it no longer matters how the file was linked (PIE, prelinked, unusual layouts).
 */
#ifndef KFLAME_ELF_ELF_SYMBOLS_H
#define KFLAME_ELF_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwarf_functions.h"
#include "elf/go_pclntab.h"

/** struct elf_segment - an executable PT_LOAD */
struct elf_segment {
	uint64_t offset;
	uint64_t address;
	uint64_t bytes;		/* size in the file */
};

/** struct elf_function - the range of a function, or of a part of one */
struct elf_function {
	uint64_t start;		/* file offset */
	uint64_t end;		/* file offset after the last byte */
	const char *name;	/* as in the symbol table */
	bool guessed;		/* the symbol has no size: .end may be too high */
};

/** struct elf_more - other files with symbols of a file; either may be NULL */
struct elf_more {
	Elf *debug;		/* its separate debug file */
	Elf *mini;		/* its unpacked MiniDebugInfo */
};

/** struct elf_symbols - the functions of a file */
struct elf_symbols {
	uint32_t state;		/* KFLAME_NAMED_*: where the names are from; _NONE, _DAMAGED */
	struct elf_segment *segments;
	size_t nr_segments;
	struct elf_function *functions;	/* sorted by start, never overlapping */
	size_t nr, cap;
	char **made;			/* names that are in no table */
	size_t nr_made, cap_made, made_bytes;
	struct go_table go;	/* of a stripped Go program */
	struct dwarf_functions dwarf;	/* if there is no .symtab */
};

/**
 * elf_symbols_load() - read the segments and the symbol tables
 * @elf:	must outlive @out, which points to names in it
 * @more:	other files with symbols of a stripped file; must outlive @out.  NULL: none
 * @out:	the caller frees it with elf_symbols_exit(), whatever is returned
 *
 * The functions of .symtab, the debug file, MiniDebugInfo and .dynsym are merged.  If neither the file nor the
 * debug file has .symtab, .debug_info names functions, too.  In a file without section headers, PT_DYNAMIC has
 * .dynsym.  Jump stubs are "name@plt".
 *
 * If several symbols have the same address, and the same byte is in all of them, the first difference in this
 * order decides:
 *  - a symbol with a type before one without
 *  - a symbol with a size before one without
 *  - global before weak before local
 *  - fewer leading underscores
 *  - byte order of the names
 *
 * A symbol without a size ends where the next symbol begins, where its section ends, or where the unwind
 * information has a beginning or an end of a function.  If one function is inside another, the inner one is
 * found.
 *
 * Return: 0, also if the file is damaged (@out->state); -ENOMEM.
 */
int elf_symbols_load(Elf *elf, const struct elf_more *more, struct elf_symbols *out);

/**
 * elf_symbols_load_linked() - as elf_symbols_load(), but by address, for a file that no process maps
 *
 * Functions and segments have link-time addresses instead of file offsets.  The segments are the executable
 * sections.  Only .symtab is read.
 */
int elf_symbols_load_linked(Elf *elf, struct elf_symbols *out);

/**
 * elf_symbols_segments() - read only where the code of a file is
 * @linked:	by address, as for elf_symbols_load_linked()
 * @out:	the caller frees it with elf_symbols_exit(), whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int elf_symbols_segments(Elf *elf, bool linked, struct elf_symbols *out);

/** elf_symbols_exit() - free what elf_symbols_load() allocated */
void elf_symbols_exit(struct elf_symbols *s);

/** elf_symbols_find() - Return: the function at a file offset; NULL if there is none */
const struct elf_function *elf_symbols_find(const struct elf_symbols *s, uint64_t offset);

/**
 * elf_symbols_gap() - get the code around a file offset for which elf_symbols_find() has no function
 * @start:	gets where the previous function ends, or where the segment begins
 * @end:	gets where the next function begins, or where the segment ends
 *
 * Return: whether the offset is in an executable segment.
 */
bool elf_symbols_gap(const struct elf_symbols *s, uint64_t offset, uint64_t *start, uint64_t *end);

/**
 * elf_symbols_address() - convert a file offset to an address of the file
 *
 * Return: whether the offset is in an executable segment.
 */
bool elf_symbols_address(const struct elf_symbols *s, uint64_t offset, uint64_t *address);

#endif
