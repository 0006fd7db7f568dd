// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_inlines.c - find the functions that were inlined at an address, and its source lines
 *
 * The address ranges come from the units: .debug_aranges would be faster to read, but not all compilers write
 * it.  The contents of a unit are read when the first address in it is looked up.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "elf/dwarf_inlines.h"
#include "elf/dwarf_scopes.h"
#include "elf/dwarf_strings.h"

struct unit {
	Dwarf_Die die;		/* has the line table; has the functions, too, unless it is a skeleton */
	const char *directory;
	bool loaded;
	struct scopes scopes;
};

struct inlines {
	Dwarf *dwarf;
	struct unit *units;
	size_t nr, cap;
	struct debug_strings strings;
	struct ranges code;	/* addresses of the file's code */
	struct ranges ranges;	/* .of: index in .units */
};

static int add_unit(struct inlines *x, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	int err = grow(&x->units, x->nr, &x->cap, sizeof(*x->units));

	while (!err && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (ranges_find(&x->code, start))
			err = ranges_add(&x->ranges, start, end, (uint32_t)x->nr);
	if (!err)
		x->units[x->nr++] = (struct unit){
			.die = *die,
			.directory = debug_strings_check(&x->strings, dwarf_formstring(
				dwarf_attr(die, DW_AT_comp_dir, &attr))),
		};
	return err;
}

static int add_units(struct inlines *x)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(x->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_unit(x, &die);
	return err ? err : ranges_settle(&x->ranges);
}

struct inlines *inlines_create(Elf *elf, const struct elf_segment *segments, size_t nr)
{
	struct inlines *x = calloc(1, sizeof(*x));
	int err = x ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		err = ranges_add(&x->code, segments[i].address,
				 segments[i].address + segments[i].bytes, 0);
	if (!err)
		err = ranges_settle(&x->code);
	if (!err)
		x->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!err)
		debug_strings_add(&x->strings, x->dwarf);
	if (!err && x->dwarf && !add_units(x))
		return x;
	inlines_destroy(x);
	return NULL;
}

void inlines_destroy(struct inlines *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->nr; i++)
		scopes_exit(&x->units[i].scopes);
	free(x->units);
	ranges_exit(&x->code);
	ranges_exit(&x->ranges);
	dwarf_end(x->dwarf);
	free(x);
}

/* Load the functions of a unit.  For a skeleton they are in another file, which may be missing */
static void load(struct inlines *x, struct unit *u)
{
	Dwarf_Die functions, split;
	uint8_t type;

	u->loaded = true;
	if (dwarf_cu_info(u->die.cu, NULL, &type, &functions, &split, NULL, NULL, NULL))
		return;
	if (type == DW_UT_skeleton) {
		if (!split.addr)
			return;
		functions = split;
	}
	/* If memory runs out, go on without functions: a retry would not do better */
	if (scopes_load(&functions, &x->code, &u->scopes))
		scopes_exit(&u->scopes);
}

static void set_place(const struct unit *u, struct inline_level *l, const char *source,
		      uint32_t line)
{
	l->source = source;
	l->directory = source && *source != '/' ? u->directory : NULL;
	l->line = line;
}

size_t inlines_find(struct inlines *x, uint64_t address, struct inline_level *levels,
		    size_t most)
{
	const struct range *r = ranges_find(&x->ranges, address);
	const struct scope *s = NULL;
	Dwarf_Line *line;
	struct unit *u;
	size_t nr = 0;
	int number = 0;

	if (!r || !most)
		return 0;
	u = &x->units[r->of];
	if (!u->loaded)
		load(x, u);
	line = dwarf_getsrc_die(&u->die, address);
	if (line)
		dwarf_lineno(line, &number);
	levels[0] = (struct inline_level){ 0 };
	set_place(u, &levels[0], line ? dwarf_linesrc(line, NULL, NULL) : NULL, (uint32_t)number);
	r = ranges_find(&u->scopes.ranges, address);
	if (r)
		s = &u->scopes.all[r->of];
	if (!s && !levels[0].source)
		return 0;
	for (;; s = &u->scopes.all[s->parent]) {
		levels[nr++].function = s ? s->name : NULL;
		if (!s || s->parent == SCOPE_NONE || nr == most)
			return nr;
		levels[nr] = (struct inline_level){ 0 };
		set_place(u, &levels[nr], s->call_file, s->call_line);
	}
}
