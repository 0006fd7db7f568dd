// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_functions.c - list the functions that debug data names
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "elf/dwarf_functions.h"
#include "elf/dwarf_strings.h"
#include "elf/libelf_section.h"
#include "elf/ranges.h"

#define MAX_INFO	(256u << 20)	/* bytes of .debug_info; as compressed data claims them */
#define MAX_FUNCTIONS	(4u << 20)
#define MAX_DEPTH	64
#define MAX_NS		(4 * NS_PER_S)
#define NAME_MOST	32768		/* bytes; longer names are damage */

struct walk {
	struct dwarf_functions *to;
	struct ranges code;		/* addresses of the executable sections */
	struct debug_strings strings;
	uint64_t until;			/* CPU time */
	unsigned int steps;
};

/* Many entries may refer to one long list of ranges, so each range is a step */
static bool is_over(struct walk *w)
{
	return w->to->nr >= MAX_FUNCTIONS ||
	       (!(++w->steps % 1024) && clock_ns(CLOCK_THREAD_CPUTIME_ID) > w->until);
}

/* Most names are in an abstract instance or in a declaration */
static const char *name_of(const struct walk *w, Dwarf_Die *die)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *name = debug_strings_check(&w->strings,
						       dwarf_formstring(dwarf_attr_integrate(die, kinds[i], &attr)));

		if (name && name[0] && strnlen(name, NAME_MOST) < NAME_MOST)
			return name;
	}
	return NULL;
}

/* Return: whether the range is within the code of one section */
static bool is_code(const struct walk *w, uint64_t start, uint64_t end)
{
	const struct range *r = ranges_find(&w->code, start);

	return r && start < end && end <= r->end;
}

/* Add the code of a function.  Return: 0, -ENOMEM; -E2BIG: at a limit */
static int add(struct walk *w, Dwarf_Die *die)
{
	struct dwarf_functions *to = w->to;
	Dwarf_Addr base, start, end;
	const char *name = NULL;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (is_over(w))
			return -E2BIG;
		if (!is_code(w, start, end))
			continue;
		if (!name)
			name = name_of(w, die);
		if (!name)
			return 0;
		err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
		if (!err)
			to->all[to->nr++] = (struct dwarf_function){ start, end, name };
	}
	return err;
}

/* May a function be below an entry of this kind? */
static bool may_have_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static int walk(struct walk *w, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die child;
	int more, err = 0;

	for (more = dwarf_child(die, &child); !err && !more; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (is_over(w))
			return -E2BIG;
		if (tag == DW_TAG_subprogram)
			err = add(w, &child);
		if (!err && depth < MAX_DEPTH && may_have_functions(tag))
			err = walk(w, &child, depth + 1);
	}
	return err;
}

static int walk_units(struct walk *w)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(w->to->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if (type == DW_UT_compile)
			err = walk(w, &die, 0);
	return err == -E2BIG ? 0 : err;
}

/* Read the section headers.  @info: whether there is debug data within the limit */
static int look_at_sections(Elf *elf, struct ranges *code, bool *info)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	int err = 0;

	*info = false;
	while (!err && (scn = section_next(elf, scn, &sh, &name))) {
		GElf_Chdr ch = { .ch_size = sh.sh_size };

		if (sh.sh_flags & SHF_ALLOC && sh.sh_flags & SHF_EXECINSTR && sh.sh_addr + sh.sh_size > sh.sh_addr)
			err = ranges_add(code, sh.sh_addr, sh.sh_addr + sh.sh_size, (uint32_t)elf_ndxscn(scn));
		if (strcmp(name, ".debug_info") || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_flags & SHF_COMPRESSED && !gelf_getchdr(scn, &ch))
			continue;
		*info = sh.sh_size <= MAX_INFO && ch.ch_size <= MAX_INFO;
	}
	return err ? err : ranges_settle(code);
}

int dwarf_functions_load(Elf *elf, struct dwarf_functions *out)
{
	struct walk w = { .to = out, .until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + MAX_NS };
	bool info;
	int err = look_at_sections(elf, &w.code, &info);

	if (!err && info)
		out->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!err && out->dwarf) {
		debug_strings_add(&w.strings, out->dwarf);
		err = walk_units(&w);
	}
	ranges_exit(&w.code);
	return err;
}

void dwarf_functions_exit(struct dwarf_functions *d)
{
	dwarf_end(d->dwarf);
	free(d->all);
	memset(d, 0, sizeof(*d));
}
