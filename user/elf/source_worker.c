// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_worker.c - look up source lines and write the answer; runs in a sandbox
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/dwarf_inlines.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "elf/source_protocol.h"

#define BUFFER	(256u << 10)	/* bytes of the output buffer */

/* A text that was sent, identified by the addresses of its parts */
struct sent_text {
	const char *directory;
	const char *text;
};

struct teller {
	FILE *out;
	struct index index;
	struct sent_text *sent_text;
	size_t nr_sent_text, cap_sent_text;
};

static bool same_text(const void *ctx, uint32_t i, const void *key)
{
	const struct teller *t = ctx;
	const struct sent_text *a = &t->sent_text[i], *b = key;

	return a->directory == b->directory && a->text == b->text;
}

/* Send a text, unless it was sent before.  Return: its id, from 1; 0 if it is missing or too long */
static uint32_t tell_text(struct teller *t, const char *directory, const char *text)
{
	const struct sent_text key = { directory, text };
	uint64_t hash = hash_u64((uintptr_t)directory, (uintptr_t)text);
	size_t before = directory ? strlen(directory) + 1 : 0, len = text ? strlen(text) : 0;
	struct source_say say = { .what = SOURCE_SAY_TEXT, .nr = (uint32_t)(before + len) };
	uint32_t i;

	if (!len || before > SOURCE_TEXT || len > SOURCE_TEXT - before)
		return 0;
	i = index_find(&t->index, hash, same_text, t, &key);
	if (i != INDEX_NONE)
		return i + 1;
	if (grow(&t->sent_text, t->nr_sent_text, &t->cap_sent_text, sizeof(*t->sent_text)) ||
	    index_add(&t->index, hash, (uint32_t)t->nr_sent_text))
		return 0;
	t->sent_text[t->nr_sent_text++] = key;
	fwrite(&say, sizeof(say), 1, t->out);
	if (directory)
		fprintf(t->out, "%s/", directory);
	fwrite(text, len, 1, t->out);
	return (uint32_t)t->nr_sent_text;
}

static void tell_place(struct teller *t, size_t i, const struct inline_level *levels, size_t nr)
{
	struct source_say say = { .what = SOURCE_SAY_PLACE, .nr = (uint32_t)nr, .place = i };
	struct source_level out[SOURCES_MAX_LEVELS];

	for (size_t k = 0; k < nr; k++)
		out[k] = (struct source_level){
			.function = tell_text(t, NULL, levels[k].function),
			.source = tell_text(t, levels[k].directory, levels[k].source),
			.line = levels[k].line,
		};
	fwrite(&say, sizeof(say), 1, t->out);
	fwrite(out, sizeof(*out), nr, t->out);
}

static void tell_all(struct teller *t, const struct source_question *q, Elf *mapped, Elf *debug)
{
	struct inline_level levels[SOURCES_MAX_LEVELS];
	struct elf_symbols code;
	struct inlines *x;

	if (elf_symbols_segments(mapped, q->linked, &code))
		return;
	x = inlines_create(debug, code.segments, code.nr_segments);
	for (size_t i = 0; x && i < q->nr; i++) {
		uint64_t address;
		size_t found;

		/* A file offset outside of all code has no address */
		if (!elf_symbols_address(&code, q->offsets[i], &address))
			continue;
		found = inlines_find(x, address, levels, SOURCES_MAX_LEVELS);
		if (found)
			tell_place(t, i, levels, found);
	}
}

static void run(const struct sandbox_job *job)
{
	const struct source_question *q = job->question;
	struct source_say end = { .what = SOURCE_SAY_END };
	struct teller t = { .out = fdopen(job->out, "w") };
	Elf *mapped = section_open(job->fds[0]), *debug = section_open(job->fds[1]);

	if (!t.out || setvbuf(t.out, NULL, _IOFBF, BUFFER))
		return;
	if (mapped && debug)
		tell_all(&t, q, mapped, debug);
	end.nr = debug && section_debug_is_packed(debug);
	fwrite(&end, sizeof(end), 1, t.out);
	/* Free nothing: the process ends now */
	fflush(t.out);
}

const struct sandbox_work source_work = { .name = "sources", .run = run };
