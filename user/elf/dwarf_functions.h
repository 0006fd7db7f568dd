/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_functions.h - the functions that debug data names, for a file without .symtab
 */
#ifndef KFLAME_ELF_DWARF_FUNCTIONS_H
#define KFLAME_ELF_DWARF_FUNCTIONS_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/** struct dwarf_function - code of a function, or a part of it: a compiler may move rarely used code elsewhere */
struct dwarf_function {
	uint64_t start, end;	/* addresses of the file */
	const char *name;	/* linkage name, else the plain name */
};

/** struct dwarf_functions - the functions of a file; all zero is none */
struct dwarf_functions {
	struct Dwarf *dwarf;	/* owns the names; NULL: none */
	struct dwarf_function *all;
	size_t nr, cap;
};

/**
 * dwarf_functions_load() - read the functions of .debug_info, without those that were inlined
 * @elf:	has the debug data; must outlive @out
 * @out:	all zero; the caller frees it with dwarf_functions_exit(), whatever is returned
 *
 * A function outside of all executable sections is left out: the linker removed it.  Functions in .dwo files and
 * in other files are not read.  Reading is limited in bytes and CPU time; functions beyond the limit are missing.
 *
 * Return: 0, also if there is no debug data or it is damaged; -ENOMEM.
 */
int dwarf_functions_load(Elf *elf, struct dwarf_functions *out);

/** dwarf_functions_exit() - free the functions and make the struct empty */
void dwarf_functions_exit(struct dwarf_functions *d);

#endif
