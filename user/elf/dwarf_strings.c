// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_strings.c - check that strings of debug data end inside their section
 */
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "elf/dwarf_strings.h"
#include "elf/libelf_section.h"

static void add_data(struct debug_strings *s, const Elf_Data *data)
{
	const char *from = data ? data->d_buf : NULL;

	if (!from || s->nr == DEBUG_STRINGS_SECTIONS)
		return;
	s->all[s->nr].from = from;
	s->all[s->nr++].to = from + data->d_size;
}

/* Return: whether a section has strings, also with a name such as ".zdebug_str" or ".debug_str.dwo" */
static bool has_strings(const char *name)
{
	static const char *const names[] = { "debug_info", "debug_str", "debug_line_str", "debug_types" };
	const char *plain = name + (name[0] == '.') + (name[0] == '.' && name[1] == 'z');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(plain, names[i], len) && (!plain[len] || plain[len] == '.'))
			return true;
	}
	return false;
}

static void add_elf(struct debug_strings *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	/* libdw has decompressed the sections in place */
	while (elf && (scn = section_next(elf, scn, &sh, &name)))
		if (sh.sh_type != SHT_NOBITS && has_strings(name))
			add_data(s, elf_rawdata(scn, NULL));
}

void debug_strings_add(struct debug_strings *s, Dwarf *dwarf)
{
	Dwarf *alt = dwarf ? dwarf_getalt(dwarf) : NULL;

	if (dwarf)
		add_elf(s, dwarf_getelf(dwarf));
	if (alt)
		add_elf(s, dwarf_getelf(alt));
}

const char *debug_strings_check(const struct debug_strings *s, const char *text)
{
	for (size_t i = 0; text && i < s->nr; i++)
		if (text >= s->all[i].from && text < s->all[i].to)
			return memchr(text, 0, (size_t)(s->all[i].to - text)) ? text : NULL;
	return NULL;
}
