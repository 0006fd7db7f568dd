// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_records.c - one function a record type, each from bytes to struct profile
 *
 * A handler gets a record of at least the type's size.  It returns 0, -ENOMEM,
 * or -EBADMSG for a record that makes no sense, which profile_take() counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile_addresses.h"
#include "profile_reader.h"

/* Below this, numbers of stacks are never forgotten */
#define KEEP_STACK_IDS	(1u << 20)
/*
 * Frames of a stack: 30 times what the module takes, and what a tree keeps.  Each
 * count walks its whole stack, and 2000 counts of one as long as a record can be
 * kept the tool busy for half a minute.
 */
#define MAX_FRAMES	4096
#define MAX_CPUS	8192	/* as many as Linux can be built for; they are kept sorted */

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

/* Records may be longer than what we know of them */
#define COPY_REC(to, rec)	memcpy((to), (rec), sizeof(*(to)))
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

/* The address space with that id: what names it may come before its record */
static int aspace_of(struct profile *p, uint64_t id, uint32_t *index)
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
	err = aspace_of(p, r->id, &i);
	if (err)
		return err;
	COPY_REC(&p->aspaces[i].rec, rec);
	END_TEXT(p->aspaces[i].rec.comm);
	p->aspaces[i].told = true;
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
	err = aspace_of(p, r->aspace, &i);
	if (err)
		return err;
	err = profile_add_mapping(&p->aspaces[i], &m);
	return err == -ERANGE ? -EBADMSG : err;
}

/* "/usr/bin/gone (deleted)": "gone" */
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
		/* One allocation more, so that .path stays as it was told */
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

static size_t callers_bytes(const struct profile_stack *s)
{
	return s->nr ? (s->nr - 1) * sizeof(*s->callers) : 0;
}

static bool same_stack(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_stack *s = &p->stacks[i], *told = key;

	return s->kind == told->kind && s->end == told->end && s->candidate == told->candidate &&
	       s->nr == told->nr && s->pc == told->pc && (s->callers == told->callers ||
			!memcmp(s->callers, told->callers, callers_bytes(s)));
}

static uint64_t hash_stack(const struct profile_stack *s)
{
	uint64_t hash = hash_u64(hash_u64(s->kind, s->end), s->candidate);

	return hash_bytes(hash_u64(hash, s->pc), s->callers, callers_bytes(s));
}

/* Callers that are a record's are copied; those of one that is like another are shared. */
static int add_stack(struct profile *p, const struct profile_stack *told, uint64_t hash)
{
	struct profile_stack s = *told;
	int err = grow(&p->stacks, p->nr_stacks, &p->cap_stacks, sizeof(*p->stacks));

	if (err)
		return err;
	if (!s.is_like) {
		s.callers = malloc(callers_bytes(&s) ? callers_bytes(&s) : 1);
		if (!s.callers)
			return -ENOMEM;
		memcpy(s.callers, told->callers, callers_bytes(&s));
	}
	err = index_add(&p->reader->stack_index, hash, (uint32_t)p->nr_stacks);
	if (err) {
		if (!s.is_like)
			free(s.callers);
		return err;
	}
	p->stacks[p->nr_stacks++] = s;
	return 0;
}

static int remember_stack_id(struct profile *p, uint64_t id, uint32_t i)
{
	struct idmap *ids = p->reader->stacks;

	if (ids[0].nr >= KEEP_STACK_IDS && ids[0].nr / 2 >= p->nr_stacks) {
		idmap_free(&ids[1]);
		ids[1] = ids[0];
		memset(&ids[0], 0, sizeof(ids[0]));
	}
	return idmap_set(&ids[0], id, i);
}

static int intern_stack(struct profile *p, uint64_t id, const struct profile_stack *told)
{
	uint64_t hash = hash_stack(told);
	uint32_t i = index_find(&p->reader->stack_index, hash, same_stack, p, told);
	int err;

	if (i == INDEX_NONE) {
		i = (uint32_t)p->nr_stacks;
		err = add_stack(p, told, hash);
		if (err)
			return err;
	}
	return remember_stack_id(p, id, i);
}

static int take_stack(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_stack *r = (const void *)rec;
	struct profile_stack told;

	if (!r->id || r->nr > MAX_FRAMES ||
	    r->nr > (rec->size - sizeof(*r)) / sizeof(r->ip[0]) ||
	    (r->kind != KFLAME_STACK_KERNEL && r->kind != KFLAME_STACK_USER) ||
	    (r->candidate != KFLAME_NO_CANDIDATE && r->candidate >= r->nr))
		return -EBADMSG;
	if (p->addresses)
		return profile_addresses_stack(p->addresses, r);
	told = (struct profile_stack){
		.kind = r->kind, .end = r->end, .candidate = r->candidate, .nr = r->nr,
		.pc = r->nr ? r->ip[0] : 0, .callers = (uint64_t *)r->ip + !!r->nr,
	};
	return intern_stack(p, r->id, &told);
}

/* Index of the stack that has that id now, INDEX_NONE */
static uint32_t find_stack(const struct profile *p, uint64_t id)
{
	const struct idmap *ids = p->reader->stacks;
	uint32_t i = idmap_find(&ids[0], id);

	return i == INDEX_NONE ? idmap_find(&ids[1], id) : i;
}

/* What is wrong with one of many is no reason to lose the others */
static void skip_damage(int *err, int *damage)
{
	if (*err == -EBADMSG) {
		*damage = *err;
		*err = 0;
	}
}

static int take_like(struct profile *p, uint64_t stacks, const struct kflame_like *like)
{
	struct profile_stack told;
	uint32_t i;

	if (!like->number)
		return -EBADMSG;
	i = find_stack(p, stacks | like->like);
	if (i == INDEX_NONE || !p->stacks[i].nr)
		return -EBADMSG;
	told = p->stacks[i];
	told.pc = like->ip;
	told.is_like = true;
	return intern_stack(p, stacks | like->number, &told);
}

static int take_likes(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_likes *r = (const void *)rec;
	int err = 0, damage = 0;

	if ((uint32_t)r->stacks || r->nr > (rec->size - sizeof(*r)) / sizeof(r->like[0]))
		return -EBADMSG;
	if (p->addresses)
		return profile_addresses_likes(p->addresses, r->stacks, r->like, r->nr);
	for (uint32_t i = 0; !err && i < r->nr; i++) {
		err = take_like(p, r->stacks, &r->like[i]);
		skip_damage(&err, &damage);
	}
	return err ? err : damage;
}

static uint32_t stack_of(struct profile *p, uint64_t id, uint32_t kind)
{
	uint32_t i;

	if (!id)
		return PROFILE_NONE;
	i = find_stack(p, id);
	if (i == INDEX_NONE || p->stacks[i].kind != kind) {
		p->lost_stacks++;
		return PROFILE_LOST;
	}
	return i;
}

static bool same_count(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_count *a = &p->counts[i], *b = key;

	return a->aspace == b->aspace && a->kstack == b->kstack && a->ustack == b->ustack &&
	       a->context == b->context && a->tgid == b->tgid && a->tid == b->tid &&
	       a->origin == b->origin && a->cpu == b->cpu &&
	       !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static uint64_t hash_count(const struct profile_count *c)
{
	uint64_t hash = hash_u64(c->aspace, (uint64_t)c->kstack << 32 | c->ustack);

	hash = hash_u64(hash_u64(hash, (uint64_t)c->tgid << 32 | c->tid), c->cpu);
	return hash_bytes(hash_u64(hash, (uint64_t)c->origin << 32 | c->context), c->comm, sizeof(c->comm));
}

/* The sums of the whole profile fit: so do those of any part of it */
static bool add_to_sums(struct profile *p, uint64_t nr, uint64_t weight_ns, uint64_t late_ns)
{
	uint64_t samples, weight;

	if (late_ns > weight_ns || __builtin_add_overflow(p->samples, nr, &samples) ||
	    __builtin_add_overflow(p->weight_ns, weight_ns, &weight))
		return false;
	p->samples = samples;
	p->weight_ns = weight;
	p->late_ns += late_ns;
	return true;
}

static bool add_count_to_sums(struct profile *p, const struct profile_count *c)
{
	return add_to_sums(p, c->samples, c->weight_ns, c->late_ns);
}

/* A count as it is told: its stacks are not looked for yet */
struct told_count {
	struct profile_count of;	/* but for these */
	uint64_t kstack, ustack;	/* their ids; 0 for none */
	uint64_t id;			/* its own; 0 where it has none */
};

/* All that is kept of a count where stacks are not */
static int take_addresses(struct profile *p, const struct told_count *told)
{
	int err;

	if (!add_count_to_sums(p, &told->of))
		return -EBADMSG;
	err = profile_addresses_count(p->addresses, told->kstack, told->ustack, told->of.aspace);
	if (err > 0)
		p->lost_stacks++;
	return err < 0 ? err : 0;
}

static int add_count(struct profile *p, const struct profile_count *c, uint64_t hash)
{
	int err = grow(&p->counts, p->nr_counts, &p->cap_counts, sizeof(*p->counts));

	if (err)
		return err;
	if (!add_count_to_sums(p, c))
		return -EBADMSG;
	p->counts[p->nr_counts++] = *c;
	return index_add(&p->reader->count_index, hash, (uint32_t)(p->nr_counts - 1));
}

/* With its stacks */
static int take_whole(struct profile *p, const struct told_count *told)
{
	struct profile_count c = told->of;
	uint64_t hash;
	uint32_t i;
	int err;

	c.kstack = stack_of(p, told->kstack, KFLAME_STACK_KERNEL);
	c.ustack = stack_of(p, told->ustack, KFLAME_STACK_USER);
	hash = hash_count(&c);
	i = index_find(&p->reader->count_index, hash, same_count, p, &c);
	if (i == INDEX_NONE) {
		i = (uint32_t)p->nr_counts;
		err = add_count(p, &c, hash);
		return err ? err : profile_number_count(p, told->id, i);
	}
	if (!add_count_to_sums(p, &c))
		return -EBADMSG;
	p->counts[i].samples += c.samples;
	p->counts[i].weight_ns += c.weight_ns;
	p->counts[i].late_ns += c.late_ns;
	return profile_number_count(p, told->id, i);
}

static int add_told(struct profile *p, const struct told_count *told)
{
	return p->addresses ? take_addresses(p, told) : take_whole(p, told);
}

/* What is the same of all counts of one task; @c: .cpu, .context, .tgid and .tid are as told */
static int whose_count(struct profile *p, uint64_t aspace, const uint8_t *comm,
		       struct profile_count *c)
{
	if (c->context > KFLAME_CTX_GAP)
		return -EBADMSG;
	if (!p->reader->keeps_cpus)
		c->cpu = 0;
	c->origin = p->reader->origin;
	/* Bytes after the NUL are no part of the key */
	memcpy(c->comm, comm, strnlen((const char *)comm, sizeof(c->comm) - 1));
	c->aspace = PROFILE_NONE;
	return aspace ? aspace_of(p, aspace, &c->aspace) : 0;
}

static int take_count(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_count *r = (const void *)rec;
	struct told_count told = {
		.of = { .cpu = r->cpu, .context = r->context, .tgid = r->tgid, .tid = r->tid,
			.samples = r->samples, .weight_ns = r->weight_ns, .late_ns = r->late_ns },
		.kstack = r->kstack, .ustack = r->ustack,
		.id = rec->size < sizeof(*r) + sizeof(r->id[0]) ? 0 : r->id[0],
	};
	int err = whose_count(p, r->aspace, r->comm, &told.of);

	return err ? err : add_told(p, &told);
}

static int take_counts(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_counts *r = (const void *)rec;
	struct told_count told = {
		.of = { .cpu = r->cpu, .context = r->context, .tgid = r->tgid, .tid = r->tid },
	};
	int err, damage = 0;

	if ((uint32_t)r->stacks || r->nr > (rec->size - sizeof(*r)) / sizeof(r->count[0]))
		return -EBADMSG;
	err = whose_count(p, r->aspace, r->comm, &told.of);
	for (uint32_t i = 0; !err && i < r->nr; i++) {
		const struct kflame_counted *c = &r->count[i];

		/* Nearly all, where stacks are not kept */
		if (p->addresses && profile_addresses_known(p->addresses, r->stacks, c->kstack,
							    c->ustack, told.of.aspace)) {
			if (!add_to_sums(p, c->samples, c->weight_ns, c->late_ns))
				damage = -EBADMSG;
			continue;
		}
		told.kstack = c->kstack ? r->stacks | c->kstack : 0;
		told.ustack = c->ustack ? r->stacks | c->ustack : 0;
		told.id = r->first ? r->stacks | (r->first + i) : 0;
		told.of.samples = c->samples;
		told.of.weight_ns = c->weight_ns;
		told.of.late_ns = c->late_ns;
		err = add_told(p, &told);
		skip_damage(&err, &damage);
	}
	return err ? err : damage;
}

static int take_cpu(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_cpu *r = (const void *)rec;
	size_t i = p->nr_cpus;
	int err;

	while (i && p->cpus[i - 1].cpu > r->books.cpu)
		i--;
	if (i && p->cpus[i - 1].cpu == r->books.cpu) {
		p->cpus[i - 1] = r->books;
		return 0;
	}
	if (p->nr_cpus >= MAX_CPUS)
		return -EBADMSG;
	err = grow(&p->cpus, p->nr_cpus, &p->cap_cpus, sizeof(*p->cpus));
	if (err)
		return err;
	memmove(p->cpus + i + 1, p->cpus + i, (p->nr_cpus - i) * sizeof(*p->cpus));
	p->cpus[i] = r->books;
	p->nr_cpus++;
	return 0;
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
	int err = r->aspace ? aspace_of(p, r->aspace, &i) : -EBADMSG;

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
	{ KFLAME_REC_SESSION, sizeof(struct kflame_rec_session), take_session },
	{ KFLAME_REC_ASPACE, sizeof(struct kflame_rec_aspace), take_aspace },
	{ KFLAME_REC_MAPPING, sizeof(struct kflame_rec_mapping), take_mapping },
	/* The path begins in what would be padding at the end of the structure */
	{ KFLAME_REC_FILE, sizeof(struct kflame_rec_file), take_file },
	{ KFLAME_REC_STACK, sizeof(struct kflame_rec_stack), take_stack },
	{ KFLAME_REC_LIKES, sizeof(struct kflame_rec_likes), take_likes },
	{ KFLAME_REC_COUNT, sizeof(struct kflame_rec_count), take_count },
	{ KFLAME_REC_COUNTS, sizeof(struct kflame_rec_counts), take_counts },
	{ KFLAME_REC_SAMPLE, sizeof(struct kflame_rec_sample), profile_take_sample },
	{ KFLAME_REC_CPU, sizeof(struct kflame_rec_cpu), take_cpu },
	{ KFLAME_REC_STATS, sizeof(struct kflame_rec_stats), take_stats },
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
	/* With at least one byte of its path */
	{ KFLAME_REC_CGROUP, sizeof(struct kflame_rec_cgroup) + 1, take_cgroup },
	{ KFLAME_REC_END, sizeof(struct kflame_rec_end), take_end },
};

/* Is it one of those that PROFILE_SAMPLES is of? */
static bool is_sampled(uint32_t type)
{
	return type == KFLAME_REC_STACK || type == KFLAME_REC_LIKES || type == KFLAME_REC_COUNT ||
	       type == KFLAME_REC_COUNTS || type == KFLAME_REC_SAMPLE;
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
