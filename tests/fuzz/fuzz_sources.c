// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_sources.c - any bytes as a file with debug data: lines and inlined functions
 *
 * libdw reads the debug data.  What it gives must be strings, and no more levels than asked for.
 */
#include "elf/dwarf_inlines.h"
#include "elf/elf_summary.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "elf/source_lookup.h"
#include "fuzz.h"

#define PLACES	64u
#define LEVELS	16u

static void look(struct inlines *x, uint64_t address)
{
	struct inline_level levels[LEVELS];
	size_t nr = inlines_find(x, address, levels, LEVELS);

	MUST(nr <= LEVELS);
	for (size_t i = 0; i < nr; i++) {
		MUST(!levels[i].function || strlen(levels[i].function) < 1 << 20);
		MUST(!levels[i].source || strlen(levels[i].source) < 1 << 20);
		MUST(!levels[i].directory || strlen(levels[i].directory) < 1 << 20);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	Elf *elf = section_open(fd);
	struct elf_summary summary;
	struct elf_symbols code;
	struct inlines *x;

	if (elf && elf_summary_read(fd, &summary) && summary.debug_bytes) {
		MUST(!elf_symbols_segments(elf, false, &code));
		x = inlines_create(elf, code.segments, code.nr_segments);
		for (size_t i = 0; x && i < code.nr_segments; i++)
			for (uint64_t k = 0; k < PLACES; k++)
				look(x, code.segments[i].address + k * code.segments[i].bytes / PLACES);
		inlines_destroy(x);
		elf_symbols_exit(&code);
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return 0;
}
