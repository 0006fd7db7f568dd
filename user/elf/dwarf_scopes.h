/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_scopes.h - list the functions of a DWARF unit, and the functions that were inlined into them
 *
 * Only the sandbox that reads debug data may use this, see source_lookup.h.
 */
#ifndef KFLAME_ELF_DWARF_SCOPES_H
#define KFLAME_ELF_DWARF_SCOPES_H

#include <elfutils/libdw.h>

#include "elf/ranges.h"

#define SCOPE_NONE	UINT32_MAX

/** struct scope - a function, or a function that was inlined into another one */
struct scope {
	const char *name;	/* linkage name, else the plain name; NULL: none */
	uint32_t parent;	/* index of the function that it was inlined into; SCOPE_NONE */
	uint32_t call_line;	/* line of the inlined call; 0: not known */
	const char *call_file;	/* file of the inlined call; NULL: not known */
};

/** struct scopes - the functions of one unit; all zero is none */
struct scopes {
	struct scope *all;
	size_t nr, cap;
	struct ranges ranges;	/* .of: index in .all */
};

/**
 * scopes_load() - read the functions of a unit
 * @unit:	DIE of the unit that has the functions
 * @wanted:	addresses that have code.  A function that begins elsewhere is not in the file: the linker
 *		removed it
 * @out:	the caller frees it with scopes_exit(), whatever is returned
 *
 * Return: 0, also if the unit is damaged; -ENOMEM.
 */
int scopes_load(Dwarf_Die *unit, const struct ranges *wanted, struct scopes *out);

/** scopes_exit() - free the functions and make the struct empty */
void scopes_exit(struct scopes *s);

#endif
