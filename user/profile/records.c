// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records.c - one function for each record type: it adds a record to struct profile
 *
 * The function gets a record that is at least as long as its type requires.  It returns 0, -ENOMEM,
 * or -EBADMSG for a malformed record, which profile_take() counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

#define MAX_CPUS	8192	/* the most that Linux can be built for */

typedef int (*take_fn)(struct profile *p, const struct kflame_rec *rec);

char *profile_take_string(const struct kflame_rec *rec, const void *text, uint32_t len,
			  int *err)
{
	size_t room = rec->size - (size_t)((const char *)text - (const char *)rec);
	char *copy;

	*err = -EBADMSG;
	if (len >= room || ((const char *)text)[len] || memchr(text, 0, len))
		return NULL;
	copy = strdup(text);
	*err = copy ? 0 : -ENOMEM;
	return copy;
}

/* A newer module may write longer records, an older one shorter ones. Missing fields become zero. */
static void copy_record(void *to, size_t size, const struct kflame_rec *rec)
{
	size_t known = rec->size < size ? rec->size : size;

	memcpy(to, rec, known);
	memset((char *)to + known, 0, size - known);
}

#define COPY_REC(to, rec)	copy_record((to), sizeof(*(to)), (rec))
#define END_TEXT(array)		((array)[sizeof(array) - 1] = 0)

static int take_session(struct profile *p, const struct kflame_rec *rec)
{
	if (p->has_session)
		return 0;
	COPY_REC(&p->session, rec);
	END_TEXT(p->session.release);
	END_TEXT(p->session.machine);
	END_TEXT(p->session.version);
	p->has_session = true;
	return 0;
}

int profile_aspace_index(struct profile *p, uint64_t id, uint32_t *index)
{
	uint32_t i = idmap_find(&p->reader->aspaces, id);
	int err;

	if (i == INDEX_NONE) {
		i = (uint32_t)p->nr_aspaces;
		err = grow(&p->aspaces, p->nr_aspaces, &p->cap_aspaces, sizeof(*p->aspaces));
		if (err)
			return err;
		err = idmap_set(&p->reader->aspaces, id, i);
		if (err)
			return err;
		memset(&p->aspaces[i], 0, sizeof(p->aspaces[i]));
		p->aspaces[i].rec.id = id;
		p->nr_aspaces++;
	}
	*index = i;
	return 0;
}

static int take_aspace(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_aspace *r = (const void *)rec;
	uint32_t i;
	int err;

	if (!r->id)
		return -EBADMSG;
	err = profile_aspace_index(p, r->id, &i);
	if (err)
		return err;
	COPY_REC(&p->aspaces[i].rec, rec);
	END_TEXT(p->aspaces[i].rec.comm);
	p->aspaces[i].reported = true;
	return 0;
}

static int take_mapping(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_mapping *r = (const void *)rec;
	struct profile_mapping m = {
		.start = r->start, .end = r->end, .offset = r->offset,
		.file = PROFILE_NONE, .flags = r->flags,
	};
	uint32_t i;
	int err;

	if (!r->aspace || r->start >= r->end || r->offset + (r->end - r->start) < r->offset)
		return -EBADMSG;
	if (r->file) {
		m.file = idmap_find(&p->reader->files, r->file);
		if (m.file == INDEX_NONE)
			return -EBADMSG;
	}
	err = profile_aspace_index(p, r->aspace, &i);
	if (err)
		return err;
	err = profile_add_mapping(&p->aspaces[i], &m);
	return err == -ERANGE ? -EBADMSG : err;
}

/* Sets the path and the base name. The base name of "/usr/bin/gone (deleted)" is "gone". */
static void set_path(struct profile_file *f, char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	char *base;

	free(f->path);
	f->path = path;
	base = strrchr(path, '/');
	base = base && base[1] ? base + 1 : path;
	f->base = base;
	if (len > tail && !strcmp(path + len - tail, deleted) && path + len - tail > base) {
		/* A separate copy, so that .path stays as recorded */
		char *shorter = strndup(base, (size_t)(path + len - tail - base));

		free(f->short_base);
		f->short_base = shorter;
		if (shorter)
			f->base = shorter;
	}
}

static int take_file(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_file *r = (const void *)rec;
	struct profile_file *f;
	uint32_t i;
	char *path;
	int err;

	if (!r->id || r->build_id_len > KFLAME_BUILD_ID_MAX)
		return -EBADMSG;
	path = profile_take_string(rec, r->path, r->path_len, &err);
	if (!path)
		return err;
	i = idmap_find(&p->reader->files, r->id);
	if (i == INDEX_NONE) {
		i = (uint32_t)p->nr_files;
		err = grow(&p->files, p->nr_files, &p->cap_files, sizeof(*p->files));
		if (!err)
			err = idmap_set(&p->reader->files, r->id, i);
		if (err) {
			free(path);
			return err;
		}
		memset(&p->files[i], 0, sizeof(p->files[i]));
		p->nr_files++;
	}
	f = &p->files[i];
	memcpy(&f->rec, r, sizeof(f->rec));
	set_path(f, path);
	return 0;
}

int profile_add_cpu(struct kflame_cpu **cpus, size_t *nr, size_t *cap, const struct kflame_cpu *books)
{
	size_t i = *nr;
	int err;

	while (i && (*cpus)[i - 1].cpu > books->cpu)
		i--;
	if (i && (*cpus)[i - 1].cpu == books->cpu) {
		(*cpus)[i - 1] = *books;
		return 0;
	}
	if (*nr >= MAX_CPUS)
		return -EBADMSG;
	err = grow(cpus, *nr, cap, sizeof(**cpus));
	if (err)
		return err;
	memmove(*cpus + i + 1, *cpus + i, (*nr - i) * sizeof(**cpus));
	(*cpus)[i] = *books;
	++*nr;
	return 0;
}

static int take_cpu(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_cpu *r = (const void *)rec;

	return profile_add_cpu(&p->cpus, &p->nr_cpus, &p->cap_cpus, &r->books);
}

static int take_stats(struct profile *p, const struct kflame_rec *rec)
{
	COPY_REC(&p->stats, rec);
	p->has_stats = true;
	return 0;
}

static int add_symbol(struct profile_symbols *to, const struct kflame_rec *rec, uint64_t start,
		      uint64_t end, const void *text, uint32_t len)
{
	char *name;
	int err;

	if (start >= end || !len)
		return -EBADMSG;
	name = profile_take_string(rec, text, len, &err);
	if (!name)
		return err;
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (err) {
		free(name);
		return err;
	}
	to->all[to->nr++] = (struct profile_symbol){ start, end, name };
	return 0;
}

static int take_ksym(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_ksym *r = (const void *)rec;

	return add_symbol(&p->ksyms, rec, r->start, r->end, r->name, r->name_len);
}

static int take_usym(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_usym *r = (const void *)rec;
	uint32_t i = idmap_find(&p->reader->files, r->file);

	if (i == INDEX_NONE)
		return -EBADMSG;
	return add_symbol(&p->files[i].syms, rec, r->start, r->end, r->name, r->name_len);
}

static int take_jsym(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_jsym *r = (const void *)rec;
	uint32_t i;
	int err = r->aspace ? profile_aspace_index(p, r->aspace, &i) : -EBADMSG;

	if (err)
		return err;
	return add_symbol(&p->aspaces[i].syms, rec, r->start, r->end, r->name, r->name_len);
}

static bool same_leaf(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_leaf *a = &p->leaves[i], *b = key;

	return a->offset == b->offset && a->file == b->file;
}

uint32_t profile_find_leaf(const struct profile *p, uint32_t file, uint64_t offset)
{
	struct profile_leaf key = { .offset = offset, .file = file };

	return index_find(&p->reader->leaf_index, hash_u64(file, offset), same_leaf, p, &key);
}

static int take_leaf(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_leaf *r = (const void *)rec;
	struct profile_leaf leaf = { .offset = r->offset, .keep = r->keep };
	int err;

	leaf.file = idmap_find(&p->reader->files, r->file);
	if (leaf.file == INDEX_NONE || r->keep > 1)
		return -EBADMSG;
	if (profile_find_leaf(p, leaf.file, leaf.offset) != INDEX_NONE)
		return 0;
	err = grow(&p->leaves, p->nr_leaves, &p->cap_leaves, sizeof(*p->leaves));
	if (err)
		return err;
	p->leaves[p->nr_leaves] = leaf;
	err = index_add(&p->reader->leaf_index, hash_u64(leaf.file, leaf.offset),
			(uint32_t)p->nr_leaves);
	if (!err)
		p->nr_leaves++;
	return err;
}

static int take_named(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_named *r = (const void *)rec;
	uint32_t i = idmap_find(&p->reader->files, r->file);

	if (i == INDEX_NONE)
		return -EBADMSG;
	p->files[i].named = true;
	p->files[i].state = r->state;
	p->files[i].named_flags = r->flags;
	return 0;
}

static int take_unwind(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_unwind *r = (const void *)rec;
	uint32_t i = idmap_find(&p->reader->files, r->file);

	if (i == INDEX_NONE)
		return -EBADMSG;
	p->files[i].unwind = *r;
	return 0;
}

static int take_cgroup(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_cgroup *r = (const void *)rec;
	uint32_t i = idmap_find(&p->reader->cgroups, r->id);
	char *path;
	int err;

	if (!r->id || !r->path_len || r->path[0] != '/')
		return -EBADMSG;
	path = profile_take_string(rec, r->path, r->path_len, &err);
	if (!path)
		return err;
	if (i != INDEX_NONE) {
		free(p->cgroups[i].path);
		p->cgroups[i].path = path;
		return 0;
	}
	err = grow(&p->cgroups, p->nr_cgroups, &p->cap_cgroups, sizeof(*p->cgroups));
	if (!err)
		err = idmap_set(&p->reader->cgroups, r->id, (uint32_t)p->nr_cgroups);
	if (err) {
		free(path);
		return err;
	}
	p->cgroups[p->nr_cgroups++] = (struct profile_cgroup){ r->id, path };
	return 0;
}

static int take_host(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_host *r = (const void *)rec;
	const char *at = (const char *)r->text, *end;
	int err;

	if (r->text_len > rec->size - sizeof(*r) || (r->text_len && at[r->text_len - 1]))
		return -EBADMSG;
	for (end = at + r->text_len; at < end; at += strlen(at) + 1) {
		char *copy;

		err = grow(&p->host, p->nr_host, &p->cap_host, sizeof(*p->host));
		if (err)
			return err;
		copy = strdup(at);
		if (!copy)
			return -ENOMEM;
		p->host[p->nr_host++] = copy;
	}
	return 0;
}

static int take_end(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_end *r = (const void *)rec;

	p->reader->ended = true;
	return r->records == p->records ? 0 : -EBADMSG;
}

static const struct {
	uint32_t type;
	uint32_t min;
	take_fn take;
} types[] = {
	{ KFLAME_REC_SESSION, KFLAME_REC_SESSION_SIZE_0, take_session },
	{ KFLAME_REC_ASPACE, KFLAME_REC_ASPACE_SIZE_0, take_aspace },
	{ KFLAME_REC_MAPPING, sizeof(struct kflame_rec_mapping), take_mapping },
	/* The path begins where the structure would have padding. */
	{ KFLAME_REC_FILE, sizeof(struct kflame_rec_file), take_file },
	{ KFLAME_REC_STACK, sizeof(struct kflame_rec_stack), profile_take_stack },
	{ KFLAME_REC_LIKES, sizeof(struct kflame_rec_likes), profile_take_likes },
	{ KFLAME_REC_COUNT, sizeof(struct kflame_rec_count), profile_take_count },
	{ KFLAME_REC_COUNTS, sizeof(struct kflame_rec_counts), profile_take_counts },
	{ KFLAME_REC_SAMPLE, sizeof(struct kflame_rec_sample), profile_take_sample },
	{ KFLAME_REC_EVENT, KFLAME_REC_EVENT_SIZE_0, profile_take_event },
	{ KFLAME_REC_EVENT_COUNTS, sizeof(struct kflame_rec_event_counts), profile_take_event_counts },
	{ KFLAME_REC_EVENT_SAMPLE, sizeof(struct kflame_rec_sample), profile_take_sample },
	{ KFLAME_REC_EVENT_CPU, sizeof(struct kflame_rec_event_cpu), profile_take_event_cpu },
	{ KFLAME_REC_EVENT_HISTOGRAM, sizeof(struct kflame_rec_event_histogram), profile_take_event_histogram },
	{ KFLAME_REC_WAKER, sizeof(struct kflame_rec_waker), profile_take_waker },
	{ KFLAME_REC_WAKE_COUNTS, sizeof(struct kflame_rec_wake_counts), profile_take_wake_counts },
	{ KFLAME_REC_LABEL, sizeof(struct kflame_rec_label) + 1, profile_take_label },
	{ KFLAME_REC_FUNCTION, sizeof(struct kflame_rec_function) + 1, profile_take_function },
	{ KFLAME_REC_CPU, sizeof(struct kflame_rec_cpu), take_cpu },
	{ KFLAME_REC_STATS, KFLAME_REC_STATS_SIZE_0, take_stats },
	{ KFLAME_REC_KSYM, sizeof(struct kflame_rec_ksym), take_ksym },
	{ KFLAME_REC_HOST, sizeof(struct kflame_rec_host), take_host },
	{ KFLAME_REC_USYM, sizeof(struct kflame_rec_usym), take_usym },
	{ KFLAME_REC_JSYM, sizeof(struct kflame_rec_jsym), take_jsym },
	{ KFLAME_REC_LEAF, sizeof(struct kflame_rec_leaf), take_leaf },
	{ KFLAME_REC_TEXT, sizeof(struct kflame_rec_text), profile_take_text },
	{ KFLAME_REC_SOURCE, sizeof(struct kflame_rec_source), profile_take_source },
	{ KFLAME_REC_NAMED, sizeof(struct kflame_rec_named), take_named },
	{ KFLAME_REC_UNWIND, sizeof(struct kflame_rec_unwind), take_unwind },
	{ KFLAME_REC_ORIGIN, sizeof(struct kflame_rec_origin), profile_take_origin },
	/* At least one byte of the path is required. */
	{ KFLAME_REC_CGROUP, sizeof(struct kflame_rec_cgroup) + 1, take_cgroup },
	{ KFLAME_REC_END, sizeof(struct kflame_rec_end), take_end },
};

/* Is it a record of samples (PROFILE_SAMPLES)? counts.c and timeline.c read these records. */
static bool is_sampled(uint32_t type)
{
	return type == KFLAME_REC_STACK || type == KFLAME_REC_LIKES || type == KFLAME_REC_COUNT ||
	       type == KFLAME_REC_COUNTS || type == KFLAME_REC_SAMPLE ||
	       type == KFLAME_REC_EVENT_COUNTS || type == KFLAME_REC_EVENT_SAMPLE ||
	       type == KFLAME_REC_WAKER || type == KFLAME_REC_WAKE_COUNTS;
}

static int take_any(struct profile *p, const struct kflame_rec *rec)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == rec->type)
			return rec->size < types[i].min ? -EBADMSG : types[i].take(p, rec);
	p->unknown++;
	return 0;
}

int profile_take(struct profile *p, const struct kflame_rec *rec)
{
	const enum profile_part part = p->reader->part;
	int err = 0;

	if (part == PROFILE_ALL || is_sampled(rec->type) == (part == PROFILE_SAMPLES))
		err = take_any(p, rec);
	if (err == -EBADMSG) {
		p->damaged++;
		err = 0;
	}
	p->records += part != PROFILE_SAMPLES;
	return err;
}
