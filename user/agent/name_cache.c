// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name_cache.c - names of functions, kept from one cut to the next
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/name_cache.h"
#include "base/clock.h"
#include "device/device.h"
#include "profile/addresses.h"
#include "profile/user_addresses.h"
#include "record/held_files.h"
#include "symbols/function_client.h"

#define CUT_NS		(5 * NS_PER_S)	/* for all files of a cut */
#define FILE_NS		(4 * NS_PER_S)	/* for one file, at first */
#define MORE_TIME	2		/* how often its limit doubles */
#define MOST_PAUSE	6		/* a file that took too long is tried again after at most 2^6 cuts */

/* An address of a file: its name, or whether its candidate caller is the caller */
struct place {
	uint32_t file;		/* index in the profile */
	bool leaf;
	uint64_t at;
};

struct places {
	struct place *all;
	size_t nr, cap;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->leaf - (int)y->leaf;
}

static int take_address(void *ctx, const struct user_address *a)
{
	const struct profile_mapping *m = a->map;
	struct places *to = ctx;

	if (!m || m->file == PROFILE_NONE)
		return 0;
	for (int leaf = 0; leaf <= (int)a->before_candidate; leaf++) {
		if (grow(&to->all, to->nr, &to->cap, sizeof(*to->all)))
			return -ENOMEM;
		to->all[to->nr++] = (struct place){ m->file, leaf, m->offset + (a->at - m->start) };
	}
	return 0;
}

static void free_names(struct known_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->all[i].name);
	free(n->all);
	memset(n, 0, sizeof(*n));
}

/* Return: the function at an address; NULL for none */
static struct known_name *find_name(const struct known_names *n, uint64_t at)
{
	size_t from = 0, to = n->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (n->all[mid].end <= at)
			from = mid + 1;
		else
			to = mid;
	}
	return from < n->nr && n->all[from].start <= at ? &n->all[from] : NULL;
}

/* Functions do not overlap.  Return: 0 or -ENOMEM */
static int add_name(struct name_cache *c, struct known_names *n, uint64_t start, uint64_t end, const char *name)
{
	size_t at = n->nr;
	char *copy;

	if (end <= start || find_name(n, start) || find_name(n, end - 1))
		return 0;
	copy = strdup(name);
	if (!copy || grow(&n->all, n->nr, &n->cap, sizeof(*n->all))) {
		free(copy);
		return -ENOMEM;
	}
	while (at && n->all[at - 1].start > start)
		at--;
	memmove(&n->all[at + 1], &n->all[at], (n->nr - at) * sizeof(*n->all));
	n->all[at] = (struct known_name){ start, end, copy, 0 };
	n->nr++;
	c->bytes += sizeof(*n->all) + strlen(name) + 1;
	return 0;
}

static int note(struct name_cache *c, struct idmap *m, uint64_t at, uint32_t value)
{
	c->bytes += sizeof(struct idmap_entry) + 2 * sizeof(struct index_slot);
	return idmap_set(m, at, value);
}

/* ------------------------------------------------------------------ files */

static struct known_file *find_file(struct name_cache *c, uint64_t id)
{
	uint32_t i = idmap_item(&c->ids, id, &c->files, &c->nr, &c->cap, sizeof(*c->files));

	return i == INDEX_NONE ? NULL : &c->files[i];
}

static bool is_known(const struct known_file *k, const struct place *at)
{
	if (at->leaf)
		return idmap_find(&k->leaves, at->at) != INDEX_NONE;
	return find_name(&k->names, at->at) || idmap_find(&k->nameless, at->at) != INDEX_NONE;
}

/* The answers of a sandbox on their way into the cache */
struct answers {
	struct name_cache *c;
	struct known_file *k;
	int err;
};

static void take_function(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct answers *a = ctx;

	a->err = a->err ? a->err : add_name(a->c, &a->k->names, start, end, name);
}

static void take_leaf(void *ctx, uint64_t at, bool keep)
{
	struct answers *a = ctx;

	a->err = a->err ? a->err : note(a->c, &a->k->leaves, at, keep);
}

/* More time for a file that took too long before, but for one file of a cut.  Return: 0: it is not its turn */
static uint64_t time_for(const struct known_file *k, uint64_t cut, uint64_t left)
{
	if (cut < k->again)
		return 0;
	if (k->tries)
		return left >= FILE_NS ? FILE_NS << (k->tries < MORE_TIME ? k->tries : MORE_TIME) : 0;
	return left < FILE_NS ? left : FILE_NS;
}

/* A file that had all the time there is for it is tried less and less often */
static void note_late(struct known_file *k, uint64_t cut, uint64_t most)
{
	k->late = cut;
	if (most < FILE_NS)
		return;
	k->again = cut + (1u << (k->tries < MOST_PAUSE ? k->tries : MOST_PAUSE));
	k->tries++;
}

/* Asks a sandbox for the names at places of one file.  Return: 0, -ETIMEDOUT or -ENOMEM */
static int ask(struct name_cache *c, struct known_file *k, const struct profile_file *f, int fd,
	       const struct name_place *places, size_t nr, uint64_t cut, uint64_t *left)
{
	struct answers answers = { c, k, 0 };
	const struct name_taker taker = { take_function, take_leaf, &answers };
	struct file_names names;
	struct binary *b;
	uint64_t most, rest;
	int err = binary_open(f, fd, NULL, &b);

	if (err)
		return err;
	rest = most = time_for(k, cut, *left);
	if (!most) {
		k->late = cut;
		binary_close(b);
		return -ETIMEDOUT;
	}
	err = file_names_ask(b, places, nr, &rest, &taker, &names);
	*left -= most - rest < *left ? most - rest : *left;
	c->asked_files++;
	if (names.late)
		note_late(k, cut, most);
	else
		k->tries = 0;
	/* An attempt that ended before the file was judged does not replace what an earlier one found */
	if (!names.late || !k->asked || names.state != KFLAME_NAMED_DAMAGED)
		k->state = names.state;
	k->asked = true;
	binary_close(b);
	return err == -ENOMEM || answers.err ? -ENOMEM : names.late ? -ETIMEDOUT : 0;
}

/* Return: 0 or -ENOMEM */
static int note_nameless(struct name_cache *c, struct known_file *k, const struct name_place *asked, size_t nr)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		if (!asked[i].leaf && !find_name(&k->names, asked[i].at))
			err = note(c, &k->nameless, asked[i].at, 0);
	return err;
}

static int ask_unknown(struct name_cache *c, struct known_file *k, const struct profile_file *f, int fd,
		       const struct place *places, size_t nr, uint64_t cut, uint64_t *left)
{
	struct name_place *asked = calloc(nr + 1, sizeof(*asked));
	size_t nr_asked = 0;
	int err = asked ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		if (!is_known(k, &places[i]))
			asked[nr_asked++] = (struct name_place){ places[i].at, places[i].leaf };
	if (!err && nr_asked) {
		err = ask(c, k, f, fd, asked, nr_asked, cut, left);
		/* Only an attempt that ended in time shows that an address has no name */
		if (!err)
			err = note_nameless(c, k, asked, nr_asked);
	}
	free(asked);
	return err == -ETIMEDOUT ? 0 : err;
}

static void put_file(struct known_file *k, uint64_t id, const struct place *places, size_t nr, uint64_t cut,
		     struct records *to)
{
	for (size_t i = 0; i < nr; i++) {
		struct known_name *n = places[i].leaf ? NULL : find_name(&k->names, places[i].at);
		uint32_t verdict = places[i].leaf ? idmap_find(&k->leaves, places[i].at) : INDEX_NONE;

		if (verdict != INDEX_NONE)
			records_leaf(to, id, places[i].at, verdict);
		if (!n || n->cut == cut)
			continue;
		n->cut = cut;
		records_usym(to, id, n->start, n->end, n->name);
	}
	if (k->asked || k->late == cut)
		records_named(to, id, k->asked ? k->state : KFLAME_NAMED_DAMAGED, k->late == cut ? KFLAME_NF_TIME : 0);
}

static int name_files(struct name_cache *c, const struct profile *p, const struct places *places, uint64_t cut,
		      file_fd_fn *fd, void *ctx, struct records *to)
{
	uint64_t left = CUT_NS;
	size_t next;
	int err = 0;

	for (size_t i = 0; !err && i < places->nr; i = next) {
		const struct profile_file *f = &p->files[places->all[i].file];
		struct known_file *k = find_file(c, f->rec.id);
		int file = fd(ctx, f->rec.id);

		for (next = i; next < places->nr && places->all[next].file == places->all[i].file; next++)
			;
		if (!k)
			return -ENOMEM;
		if (file != HELD_NOT_YET && file != NAMING_SKIP)
			err = ask_unknown(c, k, f, file, places->all + i, next - i, cut, &left);
		put_file(k, f->rec.id, places->all + i, next - i, cut, to);
	}
	return err;
}

/* ----------------------------------------------------------------- kernel */

/* Drop the kernel's names if modules were loaded or unloaded */
static void check_modules(struct name_cache *c)
{
	int fd = open("/proc/modules", O_RDONLY | O_CLOEXEC);
	uint64_t hash = 0;
	char text[4096];
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = read(fd, text, sizeof(text))) > 0)
		hash = hash_bytes(hash, text, (size_t)n);
	close(fd);
	if (hash != c->modules) {
		free_names(&c->kernel);
		idmap_exit(&c->kernel_nameless);
	}
	c->modules = hash;
}

static int ask_kernel(struct name_cache *c, int device, uint64_t at)
{
	char name[KFLAME_KSYM_NAME_LEN];
	uint64_t start, end;
	int err;

	if (idmap_find(&c->kernel_nameless, at) != INDEX_NONE)
		return 0;
	err = device_ksym(device, at, name, sizeof(name), &start, &end);
	if (!err)
		err = add_name(c, &c->kernel, start, end, name);
	if (err != -ENOMEM && !find_name(&c->kernel, at))
		err = note(c, &c->kernel_nameless, at, 0);
	return err == -ENOMEM ? err : 0;
}

static int name_kernel(struct name_cache *c, const struct profile *p, int device, uint64_t cut, struct records *to)
{
	const struct profile_addresses *a = p->addresses;
	int err = 0;

	check_modules(c);
	for (size_t i = 0; !err && i < a->nr_kernel; i++) {
		struct known_name *n = find_name(&c->kernel, a->kernel[i]);

		if (!n) {
			err = ask_kernel(c, device, a->kernel[i]);
			n = find_name(&c->kernel, a->kernel[i]);
		}
		if (!n || n->cut == cut)
			continue;
		n->cut = cut;
		records_ksym(to, n->start, n->end, n->name);
	}
	return err;
}

int name_cache_name(struct name_cache *c, const struct profile *p, int device, uint64_t cut, uint64_t limit,
		    file_fd_fn *fd, void *ctx, struct records *to)
{
	struct places places = { .nr = 0 };
	int err = each_user_address(p, take_address, &places);

	profile_addresses_settle(p->addresses);
	if (!err) {
		places.nr = sort_once(places.all, places.nr, sizeof(*places.all), by_place);
		err = name_files(c, p, &places, cut, fd, ctx, to);
	}
	if (!err)
		err = name_kernel(c, p, device, cut, to);
	free(places.all);
	if (c->bytes > limit) {
		name_cache_exit(c);
		c->dropped++;
	}
	return err || to->failed ? -ENOMEM : 0;
}

void name_cache_exit(struct name_cache *c)
{
	const uint64_t asked = c->asked_files, dropped = c->dropped;

	for (size_t i = 0; i < c->nr; i++) {
		free_names(&c->files[i].names);
		idmap_exit(&c->files[i].nameless);
		idmap_exit(&c->files[i].leaves);
	}
	free(c->files);
	idmap_exit(&c->ids);
	free_names(&c->kernel);
	idmap_exit(&c->kernel_nameless);
	memset(c, 0, sizeof(*c));
	c->asked_files = asked;
	c->dropped = dropped;
}
