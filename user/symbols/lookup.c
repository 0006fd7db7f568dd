// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lookup.c - looks up the names of user addresses in a profile, and makes records of them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/message.h"
#include "elf/source_lookup.h"
#include "profile/user_addresses.h"
#include "symbols/function_client.h"
#include "symbols/lookup.h"
#include "symbols/mapped_file.h"
#include "symbols/source_records.h"

/* An address to look up: its name, or whether its candidate caller is the caller */
struct place {
	uint32_t file;		/* index */
	bool leaf;		/* .at is the program counter of a stack with a candidate caller */
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
	/* Only the innermost address is exact: it is the file offset of the instruction. */
	if (!err && a->before_candidate)
		err = add_place(to, m->file, m->offset + (a->at - m->start), true);
	/* There may be very many places: remove duplicates before the array grows. */
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

/* Adds the source lines of @nr places of one file.  @packed: set if libelf cannot unpack the debug data */
static int add_sources(struct source_records *s, const struct profile_file *f, struct binary *b,
		       const struct place *places, size_t nr, bool *packed)
{
	uint64_t *offsets = malloc((nr + 1) * sizeof(*offsets));
	size_t nr_offsets = 0;

	if (!offsets)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		if (!places[i].leaf)
			offsets[nr_offsets++] = places[i].at;
	if (source_records_add(s, f, b, offsets, nr_offsets))
		*packed = true;
	free(offsets);
	return 0;
}

/* The records that the names of a file are added to */
struct named {
	struct records *to;
	uint64_t file;
};

static void take_function(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct named *n = ctx;

	records_usym(n->to, n->file, start, end, name);
}

static void take_leaf(void *ctx, uint64_t at, bool keep)
{
	struct named *n = ctx;

	records_leaf(n->to, n->file, at, keep);
}

/* Adds the names of @nr places of one open file */
static int name_binary(const struct profile_file *f, struct binary *b, const struct place *places,
		       size_t nr, struct records *to, struct budget *budget, struct file_names *names)
{
	struct name_place *asked = malloc((nr + 1) * sizeof(*asked));
	struct named n = { to, f->rec.id };
	const struct name_taker taker = { take_function, take_leaf, &n };
	uint64_t most = budget_time(budget, binary_owner(b)), left = most;
	int err;

	if (!asked)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		asked[i] = (struct name_place){ places[i].at, places[i].leaf };
	err = file_names_ask(b, asked, nr, &left, &taker, names);
	free(asked);
	budget_took(budget, binary_owner(b), most - left);
	if (err && err != -ENOMEM)
		complain("%s: some functions have no name: %s", f->base,
			 err == -ETIMEDOUT ? "to read the file takes too long" : "the file cannot be read");
	if (names->cut)
		complain("%s: the names of %llu functions are very long: the end of each is its offset in the file",
			 f->base, (unsigned long long)names->cut);
	return err == -ENOMEM ? err : 0;
}

static int name_file(const struct profile_file *f, int fd, const char *symbols,
		     const struct place *places, size_t nr, struct records *to,
		     struct source_records *sources)
{
	struct file_names names;
	struct binary *b;
	int err = binary_open(f, fd, symbols, &b);

	if (!err)
		err = name_binary(f, b, places, nr, to, &sources->budget, &names);
	/* The debug file that has the lines may be another file than the one with the names */
	if (!err)
		err = add_sources(sources, f, b, places, nr, &names.packed);
	if (!err)
		records_named(to, f->rec.id, names.state,
			      (names.packed ? KFLAME_NF_PACKED : 0) | (names.late ? KFLAME_NF_TIME : 0));
	binary_close(b);
	return err;
}

/* Number of distinct files; the places are sorted by file */
static size_t count_files(const struct places *places)
{
	size_t nr = 0;

	for (size_t i = 0; i < places->nr; i++)
		nr += !i || places->all[i].file != places->all[i - 1].file;
	return nr;
}

/* Does root own an open file?  Use no path, because a file server may not answer. */
static bool is_of_root(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && !st.st_uid;
}

int naming_user(const struct profile *p, const int *fds, size_t nr_fds,
		const char *symbols, enum source_inline inlines, naming_fn *tell, struct records *to)
{
	struct places places = { 0 };
	struct source_records sources;
	int err = collect_user(p, &places);
	size_t next, files = count_files(&places), done = 0;

	source_records_init(&sources, to, inlines);
	/* Root's files first, so that the files of other users cannot use up their time budget. */
	for (int of_root = 1; of_root >= 0; of_root--)
		for (size_t i = 0; !err && i < places.nr; i = next) {
			uint32_t file = places.all[i].file;
			int fd = !fds || file >= nr_fds ? -1 : fds[file];

			for (next = i; next < places.nr && places.all[next].file == file; next++)
				;
			if (fd == NAMING_SKIP || is_of_root(fd) != of_root)
				continue;
			if (tell)
				tell(p->files[file].path, done++, files);
			if (!fds || file < nr_fds)
				err = name_file(&p->files[file], fd, symbols, places.all + i,
						next - i, to, &sources);
		}
	source_records_exit(&sources);
	free(places.all);
	return err || to->failed ? -ENOMEM : 0;
}
