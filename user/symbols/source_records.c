// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_records.c - makes records of source lines and inlined functions
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "elf/source_lookup.h"
#include "symbols/source_records.h"

void source_records_init(struct source_records *s, struct records *to, enum source_inline wish)
{
	*s = (struct source_records){ .to = to, .wish = wish };
}

void source_records_exit(struct source_records *s)
{
	for (size_t i = 0; i < s->nr_texts; i++)
		free(s->texts[i]);
	free(s->texts);
	index_exit(&s->index);
	budget_exit(&s->budget);
}

static bool same_text(const void *ctx, uint32_t i, const void *key)
{
	const struct source_records *s = ctx;

	return !strcmp(s->texts[i], key);
}

/* Owns or frees @text.  Return: the id of the text, 0 without memory. */
static uint32_t intern(struct source_records *s, char *text)
{
	uint64_t hash = hash_bytes(0, text, strlen(text));
	uint32_t i = index_find(&s->index, hash, same_text, s, text);

	if (i != INDEX_NONE) {
		free(text);
		return i + 1;
	}
	if (grow(&s->texts, s->nr_texts, &s->cap_texts, sizeof(*s->texts)) ||
	    index_add(&s->index, hash, (uint32_t)s->nr_texts)) {
		free(text);
		return 0;
	}
	s->texts[s->nr_texts++] = text;
	records_text(s->to, (uint32_t)s->nr_texts, text);
	return (uint32_t)s->nr_texts;
}

/* The file that is being looked up */
struct look {
	struct source_records *s;
	uint64_t file;		/* its id; 0: the kernel */
	const uint64_t *offsets;
	bool packed;		/* libelf cannot unpack the debug data */
};

static uint32_t take_text(void *ctx, const char *text, size_t len)
{
	struct look *l = ctx;
	char *copy = strndup(text, len);
	uint32_t id = copy ? intern(l->s, copy) : 0;

	if (!id)
		l->s->to->failed = true;
	return id;
}

static void take_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	struct kflame_source_level out[SOURCES_MAX_LEVELS];
	struct look *l = ctx;

	for (size_t k = 0; k < nr; k++)
		out[k] = (struct kflame_source_level){
			.function = levels[k].function, .source = levels[k].source,
			.line = levels[k].line,
		};
	records_source(l->s->to, l->file, l->offsets[i], out, (uint32_t)nr);
}

static void take_packed(void *ctx)
{
	struct look *l = ctx;

	l->packed = true;
}

static void complain_of(const char *file, int err)
{
	complain("%s: source lines are missing: %s (--no-inline does not look)", file,
		 err == -ETIMEDOUT ? "to read its debug data takes too long" :
				     "its debug data cannot be read");
}

bool source_records_add(struct source_records *s, const struct profile_file *f,
			struct binary *b, const uint64_t *offsets, size_t nr)
{
	struct look look = { .s = s, .file = f->rec.id, .offsets = offsets };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = &look,
					    .packed = take_packed };
	uint64_t most = budget_time(&s->budget, binary_owner(b)), left = most;
	int err = nr ? binary_sources(b, offsets, nr, s->wish, &left, &taker) : 0;

	budget_took(&s->budget, binary_owner(b), most - left);
	if (err && !s->to->failed)
		complain_of(f->base, err);
	return look.packed;
}

void source_records_add_kernel(struct source_records *s, const struct vmlinux *v,
			       const uint64_t *addresses, size_t nr)
{
	struct look look = { .s = s, .offsets = addresses };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = &look };
	uint64_t left = BUDGET_FILE_NS;
	int err = nr ? vmlinux_sources(v, addresses, nr, s->wish, &left, &taker) : 0;

	if (err && !s->to->failed)
		complain_of(vmlinux_path(v), err);
}
