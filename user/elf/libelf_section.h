/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libelf_section.h - sections of an ELF file by their names
 */
#ifndef KFLAME_ELF_LIBELF_SECTION_H
#define KFLAME_ELF_LIBELF_SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * section_open() - open an ELF file that anybody may have written
 * @fd:		stays the caller's, who closes it after elf_end(); negative: no file
 *
 * libelf reads the file and does not map it: a mapped file that somebody cuts short ends this process.
 *
 * Return: for elf_end(); NULL if elf_sections_sane() refuses it or libelf cannot read it
 */
Elf *section_open(int fd);

/**
 * section_next() - the next section with a name, as elf_nextscn()
 * @scn:	the one before; NULL for the first
 * @sh:		gets its header
 * @name:	gets its name; sections without one are passed over
 */
Elf_Scn *section_next(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name);

/**
 * section_load() - the bytes of a section, of which there may be many over the same bytes
 * @left:	how many bytes may be loaded yet; counted down
 * @raw:	as they are, not as the structures that the section's type says
 *
 * Return: NULL where there are none, or they are too many.
 */
Elf_Data *section_load(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t *left, bool raw);

/**
 * section_strings_end() - does the last string of a string table end in it?
 * @section:	number of the section
 * @left:	as section_load()
 *
 * If not, elf_strptr() goes over the rest of the table at each name to find out, and these
 * are a million names times a million bytes.
 */
bool section_strings_end(Elf *elf, size_t section, uint64_t *left);

/**
 * section_debug_is_packed() - has it debug data that this libelf cannot unpack?
 *
 * That is zstd's (ld and gcc --compress-debug-sections=zstd), which elfutils knows since 0.189, if
 * it was built with it. Symbols are never compressed: what is missing are lines, inlined functions, and
 * the unwind information of .debug_frame.
 */
bool section_debug_is_packed(Elf *elf);

/** section_data() - Return: the bytes of the first section of that name, as they are; or NULL */
Elf_Data *section_data(Elf *elf, const char *name);

#endif
