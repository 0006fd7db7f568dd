/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_strings.h - check that strings of debug data end inside their section
 *
 * libdw returns a pointer into a section.  In a damaged file the string may continue past the section.
 */
#ifndef KFLAME_ELF_DWARF_STRINGS_H
#define KFLAME_ELF_DWARF_STRINGS_H

#include <elfutils/libdw.h>

#define DEBUG_STRINGS_SECTIONS	16

/** struct debug_strings - the sections of a file that hold strings; all zero is none */
struct debug_strings {
	struct {
		const char *from, *to;
	} all[DEBUG_STRINGS_SECTIONS];
	size_t nr;
};

/** debug_strings_add() - add the sections of a file that libdw has read, and of its .gnu_debugaltlink file */
void debug_strings_add(struct debug_strings *s, Dwarf *dwarf);

/** debug_strings_check() - Return: @text; NULL if @text is NULL or does not end inside one of the sections */
const char *debug_strings_check(const struct debug_strings *s, const char *text);

#endif
