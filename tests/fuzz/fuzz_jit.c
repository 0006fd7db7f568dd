// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_jit.c - any bytes as what a just-in-time compiler tells: a perf map, and a jitdump
 *
 * Beyond not crashing: a name is one, and of a function that has the place it names.
 */
#include "fuzz.h"
#include "record/jit_dump.h"
#include "record/perf_map_read.h"

#define PLACES	64
#define STEP	0x40
#define FIRST	0x500000

static void name(int (*read)(int fd, struct perf_place *places, size_t nr,
			     struct perf_lines *lines),
		 const uint8_t *data, size_t size)
{
	struct perf_place places[PLACES] = { 0 };
	struct perf_lines lines = { 0 };

	for (size_t i = 0; i < PLACES; i++)
		places[i].at = FIRST + i * STEP;
	MUST(!read(fuzz_file(data, size), places, PLACES, &lines));
	for (size_t i = 0; i < PLACES; i++) {
		const struct perf_place *p = &places[i];

		MUST(p->at == FIRST + i * STEP);
		MUST(!p->name || (p->name[0] && p->start <= p->at && p->at < p->end));
	}
	MUST(lines.used.text <= size * (lines.nr + 1));
	perf_lines_exit(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	name(perf_map_read, data, size);
	name(jit_dump_read, data, size);
	return 0;
}
