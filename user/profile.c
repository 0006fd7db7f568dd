// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - making, opening, asking and freeing a profile
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "message.h"
#include "names.h"
#include "naming.h"
#include "profile.h"
#include "profile_addresses.h"
#include "profile_reader.h"
#include "roots.h"
#include "symbols/binary.h"

#define CHUNK	(256u << 10)

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->owner = geteuid();
	p->reader = calloc(1, sizeof(*p->reader));
	if (!p->reader) {
		free(p);
		return NULL;
	}
	return p;
}

int profile_leave_out_stacks(struct profile *p)
{
	p->addresses = profile_addresses_new();
	return p->addresses ? 0 : -ENOMEM;
}

static void free_symbols(struct profile_symbols *syms)
{
	for (size_t i = 0; i < syms->nr; i++)
		free((char *)syms->all[i].name);
	free(syms->all);
}

static void free_reader(struct profile_reader *r)
{
	free(r->fed.buf);
	free(r->again.buf);
	idmap_free(&r->aspaces);
	idmap_free(&r->files);
	idmap_free(&r->stacks[0]);
	idmap_free(&r->stacks[1]);
	idmap_free(&r->cgroups);
	idmap_free(&r->origins);
	idmap_free(&r->count_ids[0]);
	idmap_free(&r->count_ids[1]);
	index_free(&r->stack_index);
	index_free(&r->count_index);
	index_free(&r->leaf_index);
	idmap_free(&r->texts);
	index_free(&r->source_index);
	free(r);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	names_free(p->names);
	roots_free(p->roots);
	free_reader(p->reader);
	profile_addresses_free(p->addresses);
	for (size_t i = 0; i < p->nr_aspaces; i++) {
		free(p->aspaces[i].maps);
		free_symbols(&p->aspaces[i].syms);
	}
	free(p->aspaces);
	for (size_t i = 0; i < p->nr_files; i++) {
		free(p->files[i].path);
		free(p->files[i].short_base);
		free_symbols(&p->files[i].syms);
	}
	free(p->files);
	for (size_t i = 0; i < p->nr_stacks; i++)
		if (!p->stacks[i].is_like)
			free(p->stacks[i].callers);
	free(p->stacks);
	free(p->counts);
	free(p->timeline);
	free(p->leaves);
	for (size_t i = 0; i < p->nr_cgroups; i++)
		free(p->cgroups[i].path);
	free(p->cgroups);
	for (size_t i = 0; i < p->nr_origins; i++) {
		free(p->origins[i].host);
		free(p->origins[i].run);
	}
	free(p->origins);
	for (size_t i = 0; i < p->nr_texts; i++)
		free(p->texts[i]);
	free(p->texts);
	free(p->levels);
	free(p->sources);
	free(p->cpus);
	free_symbols(&p->ksyms);
	for (size_t i = 0; i < p->nr_host; i++)
		free(p->host[i]);
	free(p->host);
	free(p);
}

int profile_status(const struct profile *p)
{
	return p->state != PROFILE_WHOLE || p->damaged || p->lost_stacks;
}

const char *profile_host(const struct profile *p, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < p->nr_host; i++)
		if (!strncmp(p->host[i], key, len) && p->host[i][len] == '=')
			return p->host[i] + len + 1;
	return NULL;
}

const char *profile_cgroup(const struct profile *p, uint64_t id)
{
	uint32_t i = idmap_find(&p->reader->cgroups, id);

	return i == INDEX_NONE ? NULL : p->cgroups[i].path;
}

bool profile_has_file(const struct profile *p, uint64_t id)
{
	return idmap_find(&p->reader->files, id) != INDEX_NONE;
}

uint32_t profile_find_aspace(const struct profile *p, uint64_t id)
{
	uint32_t i = idmap_find(&p->reader->aspaces, id);

	return i == INDEX_NONE ? PROFILE_NONE : i;
}

bool profile_between(const struct profile *p)
{
	const struct profile_framing *f = &p->reader->fed;

	return f->past_header && !f->have && !f->skip;
}

const struct profile_symbol *profile_symbol(const struct profile_symbols *syms, uint64_t at)
{
	size_t low = 0, high = syms->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (syms->all[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || at >= syms->all[low - 1].end)
		return NULL;
	return &syms->all[low - 1];
}

int profile_verdict(const struct profile *p, uint32_t file, uint64_t offset)
{
	uint32_t i = profile_find_leaf(p, file, offset);

	return i == INDEX_NONE ? -1 : (int)p->leaves[i].keep;
}

/* Return: 0, a positive errno of the file, -ENOMEM, or -EILSEQ */
static int read_all(struct profile *p, int fd)
{
	void *chunk = malloc(CHUNK);
	int err = -ENOMEM;

	while (chunk) {
		ssize_t n = read(fd, chunk, CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? errno : 0;
		if (n <= 0)
			break;
		err = profile_feed(p, chunk, (size_t)n);
		if (err)
			break;
	}
	free(chunk);
	return err;
}

/* Says once what is wrong with it.  Return: whether there is something to be had. */
static bool judge(const struct profile *p, const char *name)
{
	switch (p->state) {
	case PROFILE_EMPTY:
		complain("%s is empty: nothing was recorded into it", name);
		return false;
	case PROFILE_NOT:
		complain("%s is not a kflame profile: %s. Make one with 'kflame record'",
			 name, p->why);
		return false;
	case PROFILE_FOREIGN:
		complain("%s cannot be read here: %s", name, p->why);
		return false;
	case PROFILE_TRUNCATED:
		if (!p->records) {
			complain("%s is truncated: %s, nothing can be read of it", name, p->why);
			return false;
		}
		complain("%s is truncated: %s. What is before it was read", name, p->why);
		break;
	case PROFILE_NO_END:
		if (!p->records) {
			complain("%s is truncated: it ends after its header, nothing can be read of it",
				 name);
			return false;
		}
		complain("%s is not complete: %s (the recording was cut short, or it was copied while it ran). What is there was read",
			 name, p->why);
		break;
	case PROFILE_WHOLE:
		break;
	}
	if (p->damaged || p->lost_stacks)
		complain("%s is damaged: %llu records made no sense and were skipped, %llu stacks that counts name are not there",
			 name, (unsigned long long)p->damaged, (unsigned long long)p->lost_stacks);
	return true;
}

/* What was known of a file before it was looked at once more */
struct old_names {
	struct profile_symbols syms;
	uint32_t state;
	bool forgotten;
};

/* Forgets, for now, the names of files that are here, the same ones.  NULL without memory. */
static struct old_names *forget_names(struct profile *p, const char *symbols)
{
	struct old_names *old = calloc(p->nr_files + 1, sizeof(*old));

	for (size_t i = 0; old && i < p->nr_files; i++) {
		struct profile_file *f = &p->files[i];
		uint32_t state;
		int fd = f->named ? binary_open_file(f, symbols, &state) : -1;

		if (fd < 0)
			continue;
		close(fd);
		old[i] = (struct old_names){ f->syms, f->state, true };
		f->syms = (struct profile_symbols){ 0 };
		f->named = false;
	}
	return old;
}

/* How much the names of a file are worth that come from there */
static int worth(uint32_t state)
{
	switch (state) {
	case KFLAME_NAMED_SYMTAB:
	case KFLAME_NAMED_GO:
	case KFLAME_NAMED_DEBUG:	return 4;
	case KFLAME_NAMED_MINI:		return 3;
	case KFLAME_NAMED_DYNSYM:	return 2;
	case KFLAME_NAMED_NONE:		return 1;
	default:			return 0;
	}
}

/* The old names come back where the new ones are worth less: a debug file is not here now */
static void choose_names(struct profile *p, struct old_names *old)
{
	for (size_t i = 0; i < p->nr_files; i++) {
		struct profile_file *f = &p->files[i];

		if (!old[i].forgotten)
			continue;
		if (f->named && worth(f->state) >= worth(old[i].state)) {
			free_symbols(&old[i].syms);
			continue;
		}
		free_symbols(&f->syms);
		f->syms = old[i].syms;
		f->state = old[i].state;
		f->named = true;
	}
	free(old);
}

/* Takes records that were looked up here as if they had been in the stream */
static int take_records(struct profile *p, const struct records *r)
{
	uint64_t records = p->records;
	int err = 0;

	for (size_t at = 0; !err && at < r->len;) {
		const struct kflame_rec *rec = (const void *)(r->data + at);

		err = profile_take(p, rec);
		at += rec->size;
	}
	p->records = records;
	for (size_t i = 0; i < p->nr_files; i++)
		profile_sort_symbols(&p->files[i].syms);
	profile_sort_symbols(&p->ksyms);
	return err;
}

/*
 * Every view names.  What 'kflame record' has not looked up (the profile is a
 * cat of the device, or was cut) is looked up here, where the files still are.
 */
static int name_it(struct profile *p, const struct profile_naming *naming)
{
	bool again = naming->again || naming->symbols;
	struct profile_naming how = *naming;
	struct old_names *old = NULL;
	struct records found = { 0 };
	int err = 0;

	/* Lines are from where inlined functions are, whether these are shown or not */
	if (how.lines && how.inlines == PROFILE_INLINE_NO)
		how.inlines = PROFILE_INLINE_AUTO;
	if (again) {
		old = forget_names(p, how.symbols);
		if (!old)
			return -ENOMEM;
	}
	if (again || !profile_host(p, "tool"))
		err = naming_user(p, NULL, 0, &how, NULL, &found);
	if (!err && (again || naming->vmlinux))
		err = naming_kernel_again(p, naming, how.inlines, &found);
	if (!err)
		err = take_records(p, &found);
	records_free(&found);
	if (old)
		choose_names(p, old);
	if (!err)
		p->names = names_new(p, naming);
	if (!err && naming->root)
		p->roots = roots_new(p, naming->root);
	if (err)
		return err;
	return p->names && !naming->root == !p->roots ? 0 : -ENOMEM;
}

/* Says what is asked for and cannot be shown */
static void tell_root(const struct profile *p, enum profile_root root, const char *name)
{
	if (root != PROFILE_ROOT_TID || p->session.flags & KFLAME_CF_PER_THREAD)
		return;
	for (size_t i = 0; i < p->nr_counts; i++)
		if (p->counts[i].tid)
			return;
	complain("%s does not tell threads apart, so that --root tid shows processes: record with --per-thread",
		 name);
}

static struct profile *read_profile(int fd, const char *name,
				    const struct profile_naming *naming)
{
	bool timeline = naming->timeline || profile_range_is_set(&naming->range);
	struct profile *p = profile_new();
	struct stat st;
	int err = -ENOMEM;

	if (p) {
		if (!fstat(fd, &st))
			p->owner = st.st_uid;
		p->reader->keeps_timeline = timeline;
		p->reader->keeps_cpus = naming->root == PROFILE_ROOT_CPU;
		err = read_all(p, fd);
	}
	if (!err || err == -EILSEQ) {
		profile_finish(p);
		err = judge(p, name) ? 0 : -EILSEQ;
		if (!err && timeline)
			err = profile_use_timeline(p, name, &naming->range);
		if (!err)
			err = name_it(p, naming);
		if (!err)
			tell_root(p, naming->root, name);
		if (!err)
			return p;
	}
	if (err > 0)
		complain("%s cannot be read: %s", name, strerror(err));
	else if (err == -ENOMEM)
		complain("%s needs more memory than there is", name);
	profile_free(p);
	return NULL;
}

struct profile *profile_open(const char *path, const struct profile_naming *naming)
{
	static const struct profile_naming usual;
	const char *name = path ? path : "kflame.data";
	struct profile *p;
	int fd;

	if (!naming)
		naming = &usual;
	if (!strcmp(name, "-"))
		return read_profile(STDIN_FILENO, "standard input", naming);
	fd = input_open(path, name);
	if (fd < 0) {
		if (fd == -ENOENT)
			complain("%s is not there. Record one with 'kflame record', or name another with -i",
				 name);
		else if (fd == -EINVAL)
			complain("%s is no regular file. Give it with -i if it is to be read", name);
		else
			complain("%s cannot be opened: %s", name, strerror(-fd));
		return NULL;
	}
	p = read_profile(fd, name, naming);
	close(fd);
	return p;
}
