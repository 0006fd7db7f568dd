// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_scopes.c - list the functions of a DWARF unit, and the functions that were inlined into them
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/dwarf_scopes.h"
#include "elf/dwarf_strings.h"

/* A walk through a unit */
struct walk {
	struct scopes *to;
	const struct ranges *wanted;
	Dwarf_Files *files;
	size_t nr_files;
	struct debug_strings strings;
};

/* As addr2line does it: most names are in an abstract instance or in a declaration */
static const char *name_of(const struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Attribute *name = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr);

	if (!name)
		name = dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr);
	if (!name)
		name = dwarf_attr_integrate(die, DW_AT_name, &attr);
	return name ? debug_strings_check(&w->strings, dwarf_formstring(name)) : NULL;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, what, &attr), &value) ? 0 : value;
}

static const char *call_file(const struct walk *w, Dwarf_Die *die)
{
	uint64_t number = number_of(die, DW_AT_call_file);

	/* In DWARF 5, file 0 is valid */
	if (number >= w->nr_files || !dwarf_hasattr(die, DW_AT_call_file))
		return NULL;
	return dwarf_filesrc(w->files, number, NULL, NULL);
}

/* Add the address ranges of @die that have code.  Return: how many; -ENOMEM. */
static int add_ranges(struct walk *w, Dwarf_Die *die, uint32_t of)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int nr = 0, err;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end || !ranges_find(w->wanted, start))
			continue;
		err = ranges_add(&w->to->ranges, start, end, of);
		if (err)
			return err;
		nr++;
	}
	return nr;
}

/* Add a function, if it has code.  @scope is the index of the function around it, and gets the new index */
static int add(struct walk *w, Dwarf_Die *die, uint32_t *scope)
{
	uint32_t number = (uint32_t)w->to->nr;
	int err = grow(&w->to->all, w->to->nr, &w->to->cap, sizeof(*w->to->all));
	int nr = err ? err : add_ranges(w, die, number);

	if (nr <= 0)
		return nr;
	w->to->all[w->to->nr++] = (struct scope){
		.name = name_of(w, die),
		.parent = *scope,
		.call_line = (uint32_t)number_of(die, DW_AT_call_line),
		.call_file = call_file(w, die),
	};
	*scope = number;
	return 0;
}

/* Walk the children of @die; @scope: index of the function around them */
static int walk(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Die child;
	int more, err = 0;

	for (more = dwarf_child(die, &child); !err && !more;
	     more = dwarf_siblingof(&child, &child)) {
		uint32_t inner = scope;

		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			inner = SCOPE_NONE;
			err = add(w, &child, &inner);
			break;
		case DW_TAG_inlined_subroutine:
			err = add(w, &child, &inner);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
		case DW_TAG_module:
		case DW_TAG_namespace:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			break;
		default:
			continue;
		}
		if (!err)
			err = walk(w, &child, inner);
	}
	return err;
}

int scopes_load(Dwarf_Die *unit, const struct ranges *wanted, struct scopes *out)
{
	struct walk w = { .to = out, .wanted = wanted };
	int err;

	debug_strings_add(&w.strings, dwarf_cu_getdwarf(unit->cu));
	if (dwarf_getsrcfiles(unit, &w.files, &w.nr_files))
		w.nr_files = 0;
	err = walk(&w, unit, SCOPE_NONE);
	return err ? err : ranges_settle(&out->ranges);
}

void scopes_exit(struct scopes *s)
{
	free(s->all);
	ranges_exit(&s->ranges);
	memset(s, 0, sizeof(*s));
}
