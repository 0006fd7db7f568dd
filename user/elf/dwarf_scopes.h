/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_scopes.h - the functions of a DWARF unit, and what was inlined into them
 *
 * Only for the process that reads debug data, see source_lookup.h.
 */
#ifndef KFLAME_ELF_DWARF_SCOPES_H
#define KFLAME_ELF_DWARF_SCOPES_H

#include <elfutils/libdw.h>

#include "elf/ranges.h"

#define SCOPE_NONE	UINT32_MAX

/** struct scope - a function, or one that was inlined into another */
struct scope {
	const char *name;	/* linkage name, else the plain one; NULL for none */
	uint32_t parent;	/* index of what it was inlined into; SCOPE_NONE */
	uint32_t call_line;	/* where it was; 0 is not known */
	const char *call_file;	/* NULL: not known */
};

/** struct scopes - those of one unit; all zero is none */
struct scopes {
	struct scope *all;
	size_t nr, cap;
	struct ranges ranges;	/* .of: index in .all */
};

/**
 * scopes_load() - reads them
 * @unit:	DIE of the unit that has the functions
 * @wanted:	addresses that code is at: what begins elsewhere is not in the file,
 *		as the linker left it out
 * @out:	to be freed with scopes_exit() whatever is returned
 *
 * Return: 0, also where the unit is damaged; -ENOMEM.
 */
int scopes_load(Dwarf_Die *unit, const struct ranges *wanted, struct scopes *out);

/** scopes_exit() - frees them, and makes it none */
void scopes_exit(struct scopes *s);

#endif
