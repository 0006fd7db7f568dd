/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dynamic_symbols.h - find .dynsym as the loader does, for a file without section headers (sstrip)
 */
#ifndef KFLAME_ELF_DYNAMIC_SYMBOLS_H
#define KFLAME_ELF_DYNAMIC_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

/** struct dynamic_symbols - the dynamic symbols of a file, in memory of the Elf */
struct dynamic_symbols {
	Elf_Data *symbols;	/* for gelf_getsym() */
	size_t nr;
	const char *strings;	/* ends with 0 */
	size_t strings_len;
};

/**
 * dynamic_symbols_find() - find the dynamic symbols by PT_DYNAMIC
 *
 * No entry has the number of symbols.  A hash table has it: DT_HASH, else DT_GNU_HASH.
 *
 * Return: whether the file has them, whole.
 */
bool dynamic_symbols_find(Elf *elf, struct dynamic_symbols *out);

#endif
