/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symbols.h - the functions of an ELF file, by file offset
 *
 * File offsets, since that is what a mapping tells: how a file was linked
 * (PIE, prelinked, unusual layouts) is settled here once, by its PT_LOAD headers.
 */
#ifndef KFLAME_ELF_ELF_SYMBOLS_H
#define KFLAME_ELF_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/go_pclntab.h"

/** struct elf_segment - an executable PT_LOAD */
struct elf_segment {
	uint64_t offset;
	uint64_t address;
	uint64_t bytes;		/* in the file */
};

/** struct elf_function - where a function, or a part of one, is */
struct elf_function {
	uint64_t start;		/* file offset */
	uint64_t end;		/* one past the last */
	const char *name;	/* as the symbol table has it */
};

/** struct elf_more - where else a file's symbols are; either may be NULL */
struct elf_more {
	Elf *debug;		/* its separate debug file */
	Elf *mini;		/* its unpacked MiniDebugInfo */
};

/** struct elf_symbols - a file's functions */
struct elf_symbols {
	uint32_t state;		/* KFLAME_NAMED_*: where they are from; _NONE, _DAMAGED */
	struct elf_segment *segments;
	size_t nr_segments;
	struct elf_function *functions;	/* by start, never overlapping */
	size_t nr, cap;
	char **made;			/* names that are in no table */
	size_t nr_made, cap_made, made_bytes;
	struct go_table go;	/* of a stripped program in Go */
};

/**
 * elf_symbols_load() - reads the segments and the symbol table
 * @elf:	must outlive @out: the names are in it
 * @more:	where a stripped file's symbols are; must outlive @out; NULL for nowhere
 * @out:	to be freed with elf_symbols_exit() whatever is returned
 *
 * From .symtab, the debug file, MiniDebugInfo and .dynsym, which complete each other; jump stubs
 * are "name@plt".  Of several symbols with one address the global one is taken before the weak
 * and the local one, then the one with fewer leading underscores, then the
 * first in the order of the bytes.  A symbol without a size ends where the next
 * one begins, its section ends, or the unwind information says that a function begins or ends.  Where one is inside another, the inner one is meant.
 *
 * Return: 0, also where the file is damaged (@out->state); -ENOMEM.
 */
int elf_symbols_load(Elf *elf, const struct elf_more *more, struct elf_symbols *out);

/**
 * elf_symbols_load_linked() - as elf_symbols_load(), of a file that nobody maps, by address
 *
 * What are file offsets everywhere else are the addresses at which it was linked: of functions
 * and of segments, which are its executable sections.  From .symtab only.
 */
int elf_symbols_load_linked(Elf *elf, struct elf_symbols *out);

/**
 * elf_symbols_segments() - read only where the code of a file is
 * @linked:	as elf_symbols_load_linked() has it
 * @out:	to be freed with elf_symbols_exit() whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int elf_symbols_segments(Elf *elf, bool linked, struct elf_symbols *out);

/** elf_symbols_exit() - frees what elf_symbols_load() took */
void elf_symbols_exit(struct elf_symbols *s);

/** elf_symbols_find() - Return: the function at a file offset, NULL for none */
const struct elf_function *elf_symbols_find(const struct elf_symbols *s, uint64_t offset);

/**
 * elf_symbols_gap() - the code around a file offset that elf_symbols_find() has no function for
 * @start:	gets where the function before it ends, or the segment begins
 * @end:	gets where the next one begins, or the segment ends
 *
 * Return: whether it is in an executable segment.
 */
bool elf_symbols_gap(const struct elf_symbols *s, uint64_t offset, uint64_t *start, uint64_t *end);

/**
 * elf_symbols_address() - the address that the file gives to a file offset
 *
 * Return: whether it is in an executable segment.
 */
bool elf_symbols_address(const struct elf_symbols *s, uint64_t offset, uint64_t *address);

#endif
