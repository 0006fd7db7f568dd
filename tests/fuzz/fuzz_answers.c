// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_answers.c - any bytes as the answer of a sandbox that a hostile file has taken over
 *
 * The first byte says which sandbox.  Beyond not crashing: what is taken keeps to what was asked.
 */
#include <elf.h>
#include <fcntl.h>

#include "elf/demangle_client.h"
#include "elf/disassembly.h"
#include "elf/source_lookup.h"
#include "elf/symbol_search.h"
#include "fuzz.h"
#include "sandbox.h"
#include "symbols/function_client.h"
#include "unwind/table_worker.h"

#define NR_PLACES	64u

/* ---------------------------------------------------------------------- names */

static void take_function(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	uint64_t *named_to = ctx;

	MUST(start < end && *named_to <= start);
	MUST(name[0] && strlen(name) <= 32768);
	*named_to = end;
}

static void take_leaf(void *ctx, uint64_t at, bool keep)
{
	(void)ctx;
	MUST(at % 16 == 8 && at < NR_PLACES * 16);
	MUST(keep == 0 || keep == 1);
}

static void ask_names(void)
{
	struct profile_file f = { .path = (char *)"/proc/self/exe", .base = "fuzzed" };
	uint64_t time_ns = 1000000000, named_to = 0;
	const struct name_taker taker = { take_function, take_leaf, &named_to };
	struct name_place places[NR_PLACES];
	struct file_names names;
	struct binary *b;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (uint64_t i = 0; i < NR_PLACES; i++)
		places[i] = (struct name_place){ i / 2 * 32 + i % 2 * 8, i % 2 };
	MUST(fd >= 0 && !binary_open(&f, fd, NULL, &b));
	file_names_ask(b, places, NR_PLACES, &time_ns, &taker, &names);
	MUST(names.state <= KFLAME_NAMED_GO);
	binary_close(b);
	close(fd);
}

/* -------------------------------------------------------------------- sources */

struct lines {
	uint32_t nr_texts;
	size_t next;
};

static uint32_t take_text(void *ctx, const char *text, size_t len)
{
	struct lines *l = ctx;

	MUST(len && !memchr(text, 0, len));
	return ++l->nr_texts;
}

static void take_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	struct lines *l = ctx;

	MUST(i >= l->next && i < NR_PLACES && nr && nr <= SOURCES_MAX_LEVELS);
	for (size_t k = 0; k < nr; k++)
		MUST(levels[k].function <= l->nr_texts && levels[k].source <= l->nr_texts);
	l->next = i + 1;
}

static void ask_sources(void)
{
	struct lines lines = { 0 };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = &lines };
	const struct source_file f = { .fd = 0, .debug = 0 };
	uint64_t offsets[NR_PLACES] = { 0 }, time_ns = 1000000000;

	sources_ask(&f, offsets, NR_PLACES, &time_ns, &taker);
}

/* --------------------------------------------------------------------- others */

static void ask_table(void)
{
	struct unwind_table t;

	if (!table_ask(0, &t)) {
		MUST(t.nr_pages <= KFLAME_TABLE_PAGES && t.nr_rows <= KFLAME_TABLE_ROWS);
		MUST(t.pages && t.rows && t.rules);
	}
	unwind_table_exit(&t);
}

static void ask_demangler(void)
{
	static const char *const names[] = { "_Z5firstv", "_Z6secondi", "_Z5thirdv" };
	struct demangled d = { 0 };

	for (size_t i = 0; i < 3; i++)
		MUST(!demangled_add(&d, names[i]));
	MUST(!demangled_ask(&d));
	for (size_t i = 0; i < 3; i++) {
		const char *shown = demangled_find(&d, names[i]);

		MUST(!shown || shown[0]);
	}
	demangled_exit(&d);
}

static void ask_disassembler(void)
{
	static const unsigned char code[64];
	struct instruction *insns;
	const char *why;
	uint64_t at = 0x1000;
	size_t nr;

	if (disassemble(EM_X86_64, at, code, sizeof(code), &insns, &nr, &why))
		return;
	for (size_t i = 0; i < nr; i++) {
		MUST(insns[i].address == at && insns[i].bytes && memchr(insns[i].text, 0, sizeof(insns[i].text)));
		at += insns[i].bytes;
	}
	MUST(at == 0x1000 + sizeof(code));
	free(insns);
}

static void ask_symbol(void)
{
	struct symbol_place place;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	MUST(fd >= 0);
	if (!symbol_ask(fd, -1, "f", 0, &place)) {
		MUST(place.state < SYMBOL_NR_STATES && place.near.nr <= NEAR_NAMES);
		for (uint32_t i = 0; i < place.near.nr; i++)
			MUST(place.near.name[i][0] && memchr(place.near.name[i], 0, NEAR_NAMES_BYTES));
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const ask[])(void) = { ask_names, ask_sources, ask_table, ask_demangler, ask_disassembler,
					   ask_symbol };

	if (!size)
		return 0;
	fuzz_sandboxes_answer(data + 1, size - 1);
	ask[data[0] % (sizeof(ask) / sizeof(ask[0]))]();
	return 0;
}
