// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naming.c - looks up the names of what is in files of a profile, as records
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "naming.h"
#include "source_records.h"
#include "symbols/binary.h"
#include "user_addresses.h"

/* An address that wants a name, or a verdict */
struct place {
	uint32_t file;		/* index */
	bool leaf;		/* .at is a program counter with a candidate after it */
	uint64_t at;		/* file offset */
};

struct places {
	struct place *all;
	size_t nr, cap;
};

static int add_place(struct places *to, uint32_t file, uint64_t at, bool leaf)
{
	int err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));

	if (!err)
		to->all[to->nr++] = (struct place){ file, leaf, at };
	return err;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->leaf - (int)y->leaf;
}

static void settle(struct places *s)
{
	s->nr = sort_once(s->all, s->nr, sizeof(*s->all), by_place);
}

static int take_address(void *ctx, const struct user_address *a)
{
	const struct profile_mapping *m = a->map;
	struct places *to = ctx;
	int err;

	if (!m || m->file == PROFILE_NONE || a->p->files[m->file].named)
		return 0;
	err = add_place(to, m->file, m->offset + (a->at - m->start), false);
	/* Only the innermost is exact: the file offset is that of the instruction */
	if (!err && a->before_candidate)
		err = add_place(to, m->file, m->offset + (a->at - m->start), true);
	/* As many places as there are stacks, frames and processes: keep it small */
	if (!err && to->nr == to->cap && to->nr > (1u << 20))
		settle(to);
	return err;
}

static int collect_user(const struct profile *p, struct places *to)
{
	int err = each_user_address(p, take_address, to);

	if (!err)
		settle(to);
	return err;
}

/* Source lines of @nr places of one file */
static int add_sources(struct source_records *s, const struct profile_file *f, struct binary *b,
		       const struct place *places, size_t nr)
{
	uint64_t *offsets = malloc((nr + 1) * sizeof(*offsets));
	size_t nr_offsets = 0;

	if (!offsets)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		if (!places[i].leaf)
			offsets[nr_offsets++] = places[i].at;
	source_records_add(s, f, b, offsets, nr_offsets);
	free(offsets);
	return 0;
}

/* Names @nr places of one file */
static int name_file(const struct profile_file *f, int fd, const char *symbols,
		     const struct place *places, size_t nr, struct records *to,
		     struct source_records *sources)
{
	uint64_t named_to = 0, start, end;
	struct binary *b;
	int err = binary_open(f, fd, symbols, &b);

	if (err)
		return err;
	for (size_t i = 0; i < nr; i++) {
		const char *name;

		if (places[i].leaf) {
			records_leaf(to, f->rec.id, places[i].at, binary_leaf(b, places[i].at));
			continue;
		}
		if (places[i].at < named_to)
			continue;
		name = binary_function(b, places[i].at, &start, &end);
		if (!name)
			continue;
		records_usym(to, f->rec.id, start, end, name);
		named_to = end;
	}
	err = add_sources(sources, f, b, places, nr);
	records_named(to, f->rec.id, binary_state(b), binary_is_packed(b) ? KFLAME_NF_PACKED : 0);
	binary_close(b);
	return err;
}

/* Files in places, which are sorted by them */
static size_t count_files(const struct places *places)
{
	size_t nr = 0;

	for (size_t i = 0; i < places->nr; i++)
		nr += !i || places->all[i].file != places->all[i - 1].file;
	return nr;
}

int naming_user(const struct profile *p, const int *fds, size_t nr_fds,
		const struct profile_naming *how, naming_fn *tell, struct records *to)
{
	struct places places = { 0 };
	struct source_records sources;
	int err = collect_user(p, &places);
	size_t next, files = count_files(&places), done = 0;

	source_records_init(&sources, to, how->inlines);
	for (size_t i = 0; !err && i < places.nr; i = next) {
		uint32_t file = places.all[i].file;

		for (next = i; next < places.nr && places.all[next].file == file; next++)
			;
		if (tell)
			tell(p->files[file].path, done++, files);
		if (!fds || file < nr_fds)
			err = name_file(&p->files[file], fds ? fds[file] : -1, how->symbols,
					places.all + i, next - i, to, &sources);
	}
	source_records_free(&sources);
	free(places.all);
	return err || to->failed ? -ENOMEM : 0;
}
