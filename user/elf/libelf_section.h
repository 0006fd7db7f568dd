/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libelf_section.h - get sections of an ELF file by name
 */
#ifndef KFLAME_ELF_LIBELF_SECTION_H
#define KFLAME_ELF_LIBELF_SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * section_open() - open an untrusted ELF file
 * @fd:		the caller still owns it, and closes it after elf_end(); negative: no file
 *
 * libelf reads the file instead of mapping it.  If another process truncated a mapped file, this process
 * would die.
 *
 * Return: for elf_end(); NULL if elf_sections_sane() refuses the file or libelf cannot read it
 */
Elf *section_open(int fd);

/**
 * section_next() - get the next section that has a name, as elf_nextscn()
 * @scn:	the previous section; NULL for the first one
 * @sh:		gets the header of the section
 * @name:	gets the name of the section
 */
Elf_Scn *section_next(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name);

/**
 * section_load() - get the bytes of a section, within a limit: many sections may share the same bytes
 * @left:	how many more bytes may be loaded; decreases
 * @raw:	get the bytes unchanged, not as the structures of the section's type
 *
 * Return: NULL if there are no bytes, or more than @left.
 */
Elf_Data *section_load(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t *left, bool raw);

/**
 * section_strings_end() - does the last string of a string table end inside the table?
 * @section:	index of the section
 * @left:	as for section_load()
 *
 * If it does not, elf_strptr() searches the rest of the table for each name.  For a million names in a
 * million bytes that takes too long.
 */
bool section_strings_end(Elf *elf, size_t section, uint64_t *left);

/**
 * section_debug_is_packed() - does the file have debug data that this libelf cannot decompress?
 *
 * This is debug data compressed with zstd (--compress-debug-sections=zstd of ld and gcc).  elfutils supports
 * it since 0.189, if built with zstd.  Symbols are never compressed.  What is missing then is lines, inlined
 * functions, and the unwind information of .debug_frame.
 */
bool section_debug_is_packed(Elf *elf);

/** section_data() - Return: the unchanged bytes of the first section with that name; or NULL */
Elf_Data *section_data(Elf *elf, const char *name);

#endif
