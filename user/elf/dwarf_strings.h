/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_strings.h - strings of debug data that end where their section ends
 *
 * libdw gives out a pointer into a section.  In a damaged file the string goes on behind the section.
 */
#ifndef KFLAME_ELF_DWARF_STRINGS_H
#define KFLAME_ELF_DWARF_STRINGS_H

#include <elfutils/libdw.h>

#define DEBUG_STRINGS_SECTIONS	16

/** struct debug_strings - the sections of a file that have strings; all zero is none */
struct debug_strings {
	struct {
		const char *from, *to;
	} all[DEBUG_STRINGS_SECTIONS];
	size_t nr;
};

/** debug_strings_add() - add the sections of a file, which libdw has read, and of its .gnu_debugaltlink */
void debug_strings_add(struct debug_strings *s, Dwarf *dwarf);

/** debug_strings_check() - Return: @text; NULL if it does not end in one of the sections, or is NULL */
const char *debug_strings_check(const struct debug_strings *s, const char *text);

#endif
