// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_tell.c - looks source lines up and tells them, in a process of its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "symbols/inlines.h"
#include "symbols/source_words.h"

/* A text that was told, known by where its parts are */
struct told {
	const char *directory;
	const char *text;
};

struct teller {
	FILE *out;
	struct index index;
	struct told *told;
	size_t nr_told, cap_told;
};

static bool same_text(const void *ctx, uint32_t i, const void *key)
{
	const struct teller *t = ctx;
	const struct told *a = &t->told[i], *b = key;

	return a->directory == b->directory && a->text == b->text;
}

/* Return: its number, from 1; 0 for none, and for one that is none */
static uint32_t tell_text(struct teller *t, const char *directory, const char *text)
{
	const struct told key = { directory, text };
	uint64_t hash = hash_u64((uintptr_t)directory, (uintptr_t)text);
	size_t before = directory ? strlen(directory) + 1 : 0, len = text ? strlen(text) : 0;
	struct source_say say = { .what = SOURCE_SAY_TEXT, .nr = (uint32_t)(before + len) };
	uint32_t i;

	if (!len || before > SOURCE_TEXT || len > SOURCE_TEXT - before)
		return 0;
	i = index_find(&t->index, hash, same_text, t, &key);
	if (i != INDEX_NONE)
		return i + 1;
	if (grow(&t->told, t->nr_told, &t->cap_told, sizeof(*t->told)) ||
	    index_add(&t->index, hash, (uint32_t)t->nr_told))
		return 0;
	t->told[t->nr_told++] = key;
	fwrite(&say, sizeof(say), 1, t->out);
	if (directory)
		fprintf(t->out, "%s/", directory);
	fwrite(text, len, 1, t->out);
	return (uint32_t)t->nr_told;
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

void source_tell(const struct source_file *f, const uint64_t *addresses, size_t nr, int out)
{
	const struct source_say end = { .what = SOURCE_SAY_END };
	struct inlines *x = inlines_new(f->elf, f->segments, f->nr_segments);
	struct teller t = { .out = fdopen(out, "w") };
	struct inline_level levels[SOURCES_MAX_LEVELS];

	if (!t.out || setvbuf(t.out, NULL, _IOFBF, SOURCE_BUFFER))
		return;
	for (size_t i = 0; x && i < nr; i++) {
		size_t found = inlines_find(x, addresses[i], levels, SOURCES_MAX_LEVELS);

		if (found)
			tell_place(&t, i, levels, found);
	}
	fwrite(&end, sizeof(end), 1, t.out);
	/* Nothing is freed: the process ends now */
	fflush(t.out);
}
