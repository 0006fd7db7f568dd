// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - reads the records of source lines, and of the texts they refer to
 */
#include <errno.h>
#include <stdlib.h>

#include "profile/private.h"

#define MAX_LEVELS	256	/* twice what the tool writes */

int profile_take_text(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_text *r = (const void *)rec;
	char *text;
	int err;

	if (!r->id || !r->text_len)
		return -EBADMSG;
	text = profile_take_string(rec, r->text, r->text_len, &err);
	if (!text)
		return err;
	err = grow(&p->texts, p->nr_texts, &p->cap_texts, sizeof(*p->texts));
	if (!err)
		err = idmap_set(&p->reader->texts, r->id, (uint32_t)p->nr_texts);
	if (err)
		free(text);
	else
		p->texts[p->nr_texts++] = text;
	return err;
}

/* Sets the index of a text, PROFILE_NONE for id 0.  Return: false if no text has that id. */
static bool text_of(const struct profile *p, uint32_t id, uint32_t *index)
{
	*index = id ? idmap_find(&p->reader->texts, id) : PROFILE_NONE;
	return !id || *index != INDEX_NONE;
}

static int add_levels(struct profile *p, const struct kflame_rec_source *r)
{
	for (uint32_t i = 0; i < r->nr; i++) {
		struct profile_level level = { .line = r->level[i].line };
		int err;

		if (!text_of(p, r->level[i].function, &level.function) ||
		    !text_of(p, r->level[i].source, &level.source))
			return -EBADMSG;
		err = grow(&p->levels, p->nr_levels, &p->cap_levels, sizeof(*p->levels));
		if (err)
			return err;
		p->levels[p->nr_levels++] = level;
	}
	return 0;
}

static bool same_source(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_source *a = &p->sources[i], *b = key;

	return a->offset == b->offset && a->file == b->file;
}

static uint32_t find_source(const struct profile *p, uint32_t file, uint64_t offset)
{
	struct profile_source key = { .offset = offset, .file = file };

	return index_find(&p->reader->source_index, hash_u64(file, offset), same_source, p, &key);
}

/* Of several records for one address, the last one counts. */
static int set_source(struct profile *p, const struct profile_source *s)
{
	uint32_t i = find_source(p, s->file, s->offset);
	int err;

	if (i != INDEX_NONE) {
		p->sources[i] = *s;
		return 0;
	}
	err = grow(&p->sources, p->nr_sources, &p->cap_sources, sizeof(*p->sources));
	if (err)
		return err;
	p->sources[p->nr_sources] = *s;
	err = index_add(&p->reader->source_index, hash_u64(s->file, s->offset),
			(uint32_t)p->nr_sources);
	if (!err)
		p->nr_sources++;
	return err;
}

int profile_take_source(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_source *r = (const void *)rec;
	struct profile_source s = { .offset = r->offset, .nr = r->nr };
	size_t before = p->nr_levels;
	int err;

	s.first = (uint32_t)before;
	s.file = r->file ? idmap_find(&p->reader->files, r->file) : PROFILE_KERNEL;
	if (s.file == INDEX_NONE || !r->nr || r->nr > MAX_LEVELS ||
	    r->nr > (rec->size - sizeof(*r)) / sizeof(r->level[0]))
		return -EBADMSG;
	err = add_levels(p, r);
	if (!err)
		err = set_source(p, &s);
	if (err)
		p->nr_levels = before;
	return err;
}

const struct profile_source *profile_source(const struct profile *p, uint32_t file,
					    uint64_t offset)
{
	uint32_t i = find_source(p, file, offset);

	return i == INDEX_NONE ? NULL : &p->sources[i];
}
