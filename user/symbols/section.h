/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.h - sections of an ELF file by their names
 */
#ifndef KFLAME_SECTION_H
#define KFLAME_SECTION_H

#include <gelf.h>

/**
 * section_next() - the next section with a name, as elf_nextscn()
 * @scn:	the one before; NULL for the first
 * @sh:		gets its header
 * @name:	gets its name; sections without one are passed over
 */
Elf_Scn *section_next(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name);

/** section_data() - Return: the bytes of the first section of that name, as they are; or NULL */
Elf_Data *section_data(Elf *elf, const char *name);

#endif
