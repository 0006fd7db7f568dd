// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_user.c - processes, files and user stacks of many machines in one profile
 *
 * Each process has a file at another address.  In the sum a part of a file has one range of addresses, which all
 * processes share: so equal code has equal addresses, and equal stacks are one.  Ranges are where no process has
 * memory, see below.  An address that is in no mapping stays as it is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "profile/jit_code.h"
#include "profile/merge.h"
#include "profile/private.h"

/* Parts of files, each of PART bytes */
#define FILES		(0x10ULL << 56)
#define FILES_END	(0x4bULL << 56)	/* functions follow: KFLAME_FUNCTION */
#define PART_SHIFT	36
#define PART		(1ULL << PART_SHIFT)
/* Anonymous memory, by its address; the vdso, by its offset */
#define ANON		(0x70ULL << 56)
#define VDSO		(0x71ULL << 56)
/* Code made at run time that has a name, in and out of a mapping */
#define JIT_MAPPED	(0x72ULL << 56)
#define JIT_UNMAPPED	(0x73ULL << 56)
#define RANGES_END	(0x74ULL << 56)
#define RANGE		(1ULL << 56)
/* What an address space has, in .mapped: a slot, a range, or made code */
#define HAS_RANGE	0x40000000u
#define HAS_JIT		0x80000000u

#define MAX_VARIANTS	16
#define MADE_CGROUP	(1ULL << 63)	/* no kernel uses ids that large */
#define MADE_PATHLESS	(3ULL << 62)

/* ---------------------------------------------------------------- control groups */

static bool same_cgroup(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;

	return !strcmp(m->sum->cgroups[i].path, key);
}

static bool is_cgroup_used(const struct merge *m, uint64_t id)
{
	return profile_cgroup(m->sum, id) || idmap_find(&m->cgroup_hosts, id) != INDEX_NONE;
}

/* One without a path keeps its id, unless another host has it */
static int pathless_cgroup(struct merge *m, uint64_t id, uint64_t *to)
{
	const uint64_t key[2] = { m->in.host, id };
	uint32_t made;

	*to = id;
	if (!id || idmap_find(&m->cgroup_hosts, id) == m->in.host)
		return 0;
	if (!is_cgroup_used(m, id))
		return idmap_set(&m->cgroup_hosts, id, m->in.host);
	made = intern_bytes(&m->pathless, key, sizeof(key), NULL);
	*to = MADE_PATHLESS | made;
	return made == INDEX_NONE ? -ENOMEM : 0;
}

/* The id in the sum.  A path has one id, on all hosts. */
static int cgroup_of(struct merge *m, uint64_t id, uint64_t *to)
{
	const char *path = profile_cgroup(m->in.p, id);
	uint64_t hash;
	uint32_t i;
	int err;

	if (!path)
		return pathless_cgroup(m, id, to);
	hash = hash_bytes(0, path, strlen(path));
	i = index_find(&m->cgroup_index, hash, same_cgroup, m, path);
	if (i != INDEX_NONE) {
		*to = m->sum->cgroups[i].id;
		return 0;
	}
	for (*to = id; is_cgroup_used(m, *to);)
		*to = MADE_CGROUP | ++m->cgroups;
	i = (uint32_t)m->sum->nr_cgroups;
	records_cgroup(&m->r, *to, path);
	err = merge_take(m);
	return err ? err : index_add(&m->cgroup_index, hash, i);
}

/* ---------------------------------------------------------------- address spaces */

struct aspace_key {
	struct merge_aspace of;
	struct kflame_rec_aspace rec;	/* without an id */
	bool reported;
};

static bool same_aspace(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct aspace_key *k = key;
	struct kflame_rec_aspace rec = m->sum->aspaces[i].rec;

	rec.id = 0;
	return m->aspaces[i].host == k->of.host && m->aspaces[i].has_maps == k->of.has_maps &&
	       m->sum->aspaces[i].reported == k->reported && !memcmp(&rec, &k->rec, sizeof(rec));
}

/* Adds what an address space has, once.  Return: 0, 1 if it has that already, or -ENOMEM. */
static int has(struct merge *m, uint32_t aspace, uint32_t what)
{
	const uint64_t key = (uint64_t)aspace << 32 | what;

	if (idmap_find(&m->mapped, key) != INDEX_NONE)
		return 1;
	return idmap_set(&m->mapped, key, 0);
}

/* Maps a range in an address space of the sum, once */
static int map(struct merge *m, uint32_t aspace, uint32_t what, struct kflame_rec_mapping rec, uint64_t size)
{
	const int err = aspace == PROFILE_NONE ? 1 : has(m, aspace, what);

	if (err)
		return err < 0 ? err : 0;
	rec.rec.type = KFLAME_REC_MAPPING;
	rec.aspace = aspace + 1;
	rec.end = rec.start + size;
	records_add(&m->r, &rec, sizeof(rec), NULL, 0);
	return merge_take(m);
}

static int map_range(struct merge *m, uint32_t aspace, uint64_t start, uint32_t flags)
{
	return map(m, aspace, HAS_RANGE | (uint32_t)(start >> 56),
		   (struct kflame_rec_mapping){ .start = start, .flags = flags }, RANGE);
}

static int add_aspace(struct merge *m, const struct aspace_key *k, uint64_t hash, uint32_t *to)
{
	struct kflame_rec_aspace rec = k->rec;
	int err = grow(&m->aspaces, m->sum->nr_aspaces, &m->cap_aspaces, sizeof(*m->aspaces));

	if (err)
		return err;
	err = profile_aspace_index(m->sum, m->sum->nr_aspaces + 1, to);
	if (!err && k->reported) {
		rec.id = *to + 1;
		records_add(&m->r, &rec, sizeof(rec), NULL, 0);
		err = merge_take(m);
	}
	if (err)
		return err;
	m->aspaces[*to] = k->of;
	err = index_add(&m->aspace_index, hash, *to);
	/* Whether there are mappings says what an address outside of them is: see stacks.c. */
	if (!err && k->of.has_maps)
		err = map_range(m, *to, ANON, KFLAME_MAP_ANON);
	return err;
}

static int find_aspace(struct merge *m, const struct profile_aspace *as, uint32_t *to)
{
	struct aspace_key k;
	uint64_t hash;
	int err;

	memset(&k, 0, sizeof(k));
	k.of.host = m->in.host;
	k.of.has_maps = as->nr_maps;
	k.reported = as->reported;
	if (as->reported) {
		k.rec = as->rec;
		k.rec.id = 0;
		k.rec.rec = (struct kflame_rec){ .type = KFLAME_REC_ASPACE, .size = sizeof(k.rec) };
		memset(k.rec.comm, 0, sizeof(k.rec.comm));
		memcpy(k.rec.comm, as->rec.comm, strnlen((const char *)as->rec.comm, sizeof(k.rec.comm)));
		err = cgroup_of(m, as->rec.cgroup_id, (uint64_t *)&k.rec.cgroup_id);
		if (err)
			return err;
	}
	hash = hash_bytes(hash_u64(k.of.host, (uint64_t)k.of.has_maps << 1 | k.reported), &k.rec, sizeof(k.rec));
	*to = index_find(&m->aspace_index, hash, same_aspace, m, &k);
	return *to == INDEX_NONE ? add_aspace(m, &k, hash, to) : 0;
}

int merge_aspace(struct merge *m, uint32_t aspace, uint32_t *to)
{
	const uint64_t key = (uint64_t)m->in.host << 32 | aspace;
	int err;

	*to = PROFILE_NONE;
	if (aspace >= m->in.p->nr_aspaces)
		return 0;
	*to = idmap_find(&m->in.aspaces, key);
	if (*to != INDEX_NONE)
		return 0;
	err = find_aspace(m, &m->in.p->aspaces[aspace], to);
	return err ? err : idmap_set(&m->in.aspaces, key, *to);
}

/* ---------------------------------------------------------------- files, their functions and lines */

struct file_key {
	const struct profile_file *f;
	struct merge_file of;
};

static bool same_file(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct profile_file *a = &m->sum->files[i];
	const struct file_key *k = key;
	const struct profile_file *b = k->f;

	if (m->files[i].host != k->of.host || m->files[i].variant != k->of.variant ||
	    a->rec.build_id_len != b->rec.build_id_len || a->named != b->named || a->state != b->state ||
	    a->named_flags != b->named_flags)
		return false;
	if (b->rec.build_id_len)
		return !memcmp(a->rec.build_id, b->rec.build_id, b->rec.build_id_len) && !strcmp(a->base, b->base);
	return a->rec.inode == b->rec.inode && a->rec.bytes == b->rec.bytes && a->rec.mtime_ns == b->rec.mtime_ns &&
	       a->rec.dev_major == b->rec.dev_major && a->rec.dev_minor == b->rec.dev_minor &&
	       a->rec.generation == b->rec.generation && !strcmp(a->path, b->path);
}

static int add_file(struct merge *m, const struct file_key *k, uint64_t hash, uint32_t *to)
{
	struct kflame_rec_file rec = k->f->rec;
	struct kflame_rec_unwind unwind = k->f->unwind;
	int err = grow(&m->files, m->sum->nr_files, &m->cap_files, sizeof(*m->files));

	if (err)
		return err;
	*to = (uint32_t)m->sum->nr_files;
	m->files[*to] = k->of;
	rec.id = *to + 1;
	records_file(&m->r, &rec, k->f->path);
	if (k->f->named)
		records_named(&m->r, rec.id, k->f->state, k->f->named_flags);
	unwind.file = rec.id;
	if (k->f->unwind.file)
		records_unwind(&m->r, &unwind);
	err = merge_take(m);
	return err ? err : index_add(&m->file_index, hash, *to);
}

static int find_file(struct merge *m, const struct profile_file *f, uint32_t variant, uint32_t *to)
{
	const struct file_key k = {
		.f = f,
		.of = { .host = f->rec.build_id_len ? PROFILE_NONE : m->in.host, .variant = variant },
	};
	uint64_t hash = hash_bytes(hash_u64(k.of.host, variant), f->base, strlen(f->base));

	hash = hash_bytes(hash_u64(hash, f->rec.inode * !f->rec.build_id_len), f->rec.build_id, f->rec.build_id_len);
	*to = index_find(&m->file_index, hash, same_file, m, &k);
	return *to == INDEX_NONE ? add_file(m, &k, hash, to) : 0;
}

struct symbol_key {
	uint32_t file;
	uint64_t start;
};

static bool same_symbol(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct merge_symbol *s = &m->symbols[i];
	const struct symbol_key *k = key;

	return s->file == k->file && m->sum->files[s->file].syms.all[s->at].start == k->start;
}

/* Return: 0; 1 if the file has another function at that offset; -ENOMEM */
static int add_symbol(struct merge *m, uint32_t file, const struct profile_symbol *s)
{
	const struct symbol_key k = { file, s->start };
	const uint64_t hash = hash_u64(file, s->start);
	const uint32_t i = index_find(&m->symbol_index, hash, same_symbol, m, &k);
	struct profile_symbols *syms = &m->sum->files[file].syms;
	int err;

	if (i != INDEX_NONE) {
		const struct profile_symbol *there = &syms->all[m->symbols[i].at];

		return there->end != s->end || strcmp(there->name, s->name);
	}
	err = grow(&m->symbols, m->nr_symbols, &m->cap_symbols, sizeof(*m->symbols));
	if (err)
		return err;
	m->symbols[m->nr_symbols] = (struct merge_symbol){ file, (uint32_t)syms->nr };
	records_usym(&m->r, file + 1, s->start, s->end, s->name);
	err = merge_take(m);
	return err ? err : index_add(&m->symbol_index, hash, (uint32_t)m->nr_symbols++);
}

/*
 * The file of the sum.  If an earlier input has another function at the same offset of a file with the same
 * build-id, one of both is wrong: then the file of this input is another one, and no sample gets another's name.
 */
static int file_of(struct merge *m, const struct profile_file *f, const struct profile_symbol *s, uint32_t *to)
{
	const uint32_t index = (uint32_t)(f - m->in.p->files);

	for (uint32_t variant = 0;; variant++) {
		int err = 0;

		/* Nearly all addresses are in the first variant: find it once. */
		*to = variant ? INDEX_NONE : idmap_find(&m->in.files, index);
		if (*to == INDEX_NONE)
			err = find_file(m, f, variant, to);
		if (!err && !variant)
			err = idmap_set(&m->in.files, index, *to);
		if (!err && s)
			err = add_symbol(m, *to, s);
		if (err <= 0)
			return err;
		if (variant >= MAX_VARIANTS)
			return 0;
	}
}

static uint32_t text_of(struct merge *m, const struct profile *p, uint32_t text)
{
	bool added;
	uint32_t id;

	if (text == PROFILE_NONE)
		return 0;
	id = intern_bytes(&m->texts, p->texts[text], strlen(p->texts[text]), &added);
	if (id == INDEX_NONE)
		m->r.failed = true;
	else if (added)
		records_text(&m->r, id + 1, p->texts[text]);
	return id + 1;
}

int merge_source(struct merge *m, const struct profile_source *s, uint32_t file, uint64_t offset)
{
	struct kflame_source_level levels[256] = { 0 };
	const struct profile *p = m->in.p;

	if (profile_source(m->sum, file, offset))
		return 0;
	for (uint32_t i = 0; i < s->nr && i < 256; i++) {
		const struct profile_level *l = &p->levels[s->first + i];

		levels[i].function = text_of(m, p, l->function);
		levels[i].source = text_of(m, p, l->source);
		levels[i].line = l->line;
	}
	records_source(&m->r, file == PROFILE_KERNEL ? 0 : file + 1, offset, levels, s->nr);
	return merge_take(m);
}

/* ---------------------------------------------------------------- addresses */

static bool same_slot(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct merge_slot *a = &m->slots[i], *b = key;

	return a->file == b->file && a->part == b->part;
}

/* Maps the part of a file that has an offset.  Return: 0, -EOVERFLOW after a message, or -ENOMEM. */
static int map_part(struct merge *m, uint32_t aspace, uint32_t flags, uint32_t file, uint64_t offset, uint64_t *to)
{
	const struct merge_slot slot = { .file = file, .part = offset >> PART_SHIFT };
	const uint64_t hash = hash_u64(file, slot.part);
	uint32_t i = index_find(&m->slot_index, hash, same_slot, m, &slot);
	struct kflame_rec_mapping rec = { .file = file + 1, .flags = flags, .offset = slot.part << PART_SHIFT };
	int err = 0;

	if (i == INDEX_NONE && m->nr_slots >= (FILES_END - FILES) / PART) {
		complain("with %s, these are profiles of too many files: leave some out", m->in.name);
		return -EOVERFLOW;
	}
	if (i == INDEX_NONE) {
		i = (uint32_t)m->nr_slots;
		err = grow(&m->slots, m->nr_slots, &m->cap_slots, sizeof(*m->slots));
		if (!err)
			err = index_add(&m->slot_index, hash, i);
		if (err)
			return err;
		m->slots[m->nr_slots++] = slot;
	}
	rec.start = FILES + ((uint64_t)i << PART_SHIFT);
	*to = rec.start + (offset & (PART - 1));
	/* No mapping has the last offset of 64 bits: its end would not fit. */
	return map(m, aspace, i, rec, PART - !(uint64_t)(rec.offset + PART));
}

static bool same_jit(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct merge_jit *a = &m->jits[i], *b = key;

	return a->size == b->size && a->is_mapped == b->is_mapped && !strcmp(a->name, b->name);
}

static int add_jit(struct merge *m, const struct merge_jit *given, uint64_t hash)
{
	uint64_t *next = &m->jit_next[given->is_mapped];
	struct merge_jit made = *given;
	int err = grow(&m->jits, m->nr_jits, &m->cap_jits, sizeof(*m->jits));

	if (err)
		return err;
	made.start = (given->is_mapped ? JIT_MAPPED : JIT_UNMAPPED) + *next;
	*next += (given->size + 32) / 16 * 16;
	made.name = strdup(given->name);
	if (!made.name)
		return -ENOMEM;
	err = index_add(&m->jit_index, hash, (uint32_t)m->nr_jits);
	if (err)
		free(made.name);
	else
		m->jits[m->nr_jits++] = made;
	return err;
}

/* Code made at run time is shared by its name and size: each process has it at another address */
static int jit_address(struct merge *m, uint32_t aspace, const struct profile_symbol *s, bool is_mapped,
		       uint64_t code, uint64_t *to)
{
	const uint64_t size = s->end - s->start;
	const struct merge_jit key = {
		.name = (char *)s->name, .size = size >> 32 ? 1ULL << 32 : size, .is_mapped = is_mapped,
	};
	const uint64_t hash = hash_bytes(hash_u64(key.size, is_mapped), s->name, strlen(s->name));
	uint32_t i = index_find(&m->jit_index, hash, same_jit, m, &key);
	int err = 0;

	if (i == INDEX_NONE) {
		i = (uint32_t)m->nr_jits;
		err = add_jit(m, &key, hash);
	}
	if (!err && is_mapped)
		err = map_range(m, aspace, JIT_MAPPED, KFLAME_MAP_ANON);
	if (err)
		return err;
	*to = m->jits[i].start + (code - s->start < key.size ? code - s->start : 0);
	err = has(m, aspace, HAS_JIT | i);
	if (err)
		return err < 0 ? err : 0;
	records_jsym(&m->r, aspace + 1, m->jits[i].start, m->jits[i].start + key.size, s->name);
	return merge_take(m);
}

/* The address in the sum of code that is in a mapping of a file */
static int file_address(struct merge *m, uint32_t aspace, const struct profile_mapping *map_of, uint64_t code,
			uint64_t *to)
{
	const struct profile *p = m->in.p;
	const struct profile_file *f = &p->files[map_of->file];
	const uint64_t offset = map_of->offset + (code - map_of->start);
	const struct profile_symbol *s = profile_symbol(&f->syms, offset);
	const struct profile_source *lines = s ? profile_source(p, map_of->file, offset) : NULL;
	uint32_t file;
	int err = file_of(m, f, s, &file);

	if (!err && lines)
		err = merge_source(m, lines, file, offset);
	return err ? err : map_part(m, aspace, map_of->flags, file, offset, to);
}

/* The frame of a function of an interpreted program: equal ones are one function of the sum */
static int function_frame(struct merge *m, uint64_t ip, uint64_t *to)
{
	const struct profile_function *f = profile_function(m->in.p, ip);
	/* One that the input lacks gets id 0, which none has. */
	uint32_t id = KFLAME_FUNCTION_ID(ip) == KFLAME_FUNCTION_MORE ? KFLAME_FUNCTION_MORE : 0;
	char *key = NULL;
	bool added;
	int len;

	if (f) {
		len = asprintf(&key, "%" PRIu32 " %" PRIu32 " %s%c%s", f->kind, f->line, f->name, 0, f->file);
		if (len < 0)
			return -ENOMEM;
		id = intern_bytes(&m->functions, key, (size_t)len, &added);
		free(key);
		if (id == INDEX_NONE)
			return -ENOMEM;
		if (id < KFLAME_FUNCTION_MAX - KFLAME_FUNCTION_MORE) {
			id += KFLAME_FUNCTION_MORE + 1;
			if (added)
				records_function(&m->r, id, f);
		} else {
			id = KFLAME_FUNCTION_MORE;
		}
	}
	*to = KFLAME_FUNCTION | (uint64_t)id << KFLAME_FUNCTION_SHIFT | KFLAME_FUNCTION_LINE(ip);
	return merge_take(m);
}

static int user_address(struct merge *m, uint32_t from, uint32_t aspace, uint64_t ip, bool caller, uint64_t *to)
{
	const struct profile *p = m->in.p;
	const uint64_t code = caller && ip ? ip - 1 : ip;
	const struct profile_mapping *map_of = profile_map(p, from, code);
	const struct profile_symbol *jit = NULL;
	int err;

	if (profile_is_function(ip))
		return function_frame(m, ip, to);
	/* stacks.c asks for code made at run time outside of all mappings, and names.c in some of them. */
	if (from < p->nr_aspaces && made_code_is(p, map_of))
		jit = profile_symbol(&p->aspaces[from].syms, code);
	if (jit) {
		err = jit_address(m, aspace, jit, map_of, code, to);
	} else if (!map_of) {
		/* A word that is no address may look like one of the ranges. */
		*to = ip >= FILES && ip < RANGES_END ? ip | 1ULL << 63 : ip;
		return 0;
	} else if (map_of->file != PROFILE_NONE) {
		err = file_address(m, aspace, map_of, code, to);
	} else if (map_of->flags & KFLAME_MAP_VDSO) {
		*to = VDSO + ((map_of->offset + (code - map_of->start)) & (RANGE / 2 - 1));
		err = map_range(m, aspace, VDSO, map_of->flags);
	} else {
		*to = ANON + (code & (RANGE - 1));
		err = map_range(m, aspace, ANON, KFLAME_MAP_ANON);
	}
	/* Of a return address, the byte before it is looked up. */
	*to += caller;
	return err;
}

/* Adds the verdict on the candidate caller of a stack, if there is one */
static int merge_verdict(struct merge *m, uint32_t from, const struct profile_stack *s)
{
	const struct profile *p = m->in.p;
	const struct profile_mapping *map_of;
	uint64_t pc, offset;
	uint32_t file;
	int keep, err;

	if (!s->candidate || s->candidate >= s->nr)
		return 0;
	pc = profile_stack_ip(s, s->candidate - 1);
	map_of = profile_map(p, from, pc);
	if (!map_of || map_of->file == PROFILE_NONE)
		return 0;
	offset = map_of->offset + (pc - map_of->start);
	keep = profile_verdict(p, map_of->file, offset);
	if (keep < 0)
		return 0;
	err = file_of(m, &p->files[map_of->file], profile_symbol(&p->files[map_of->file].syms, offset), &file);
	if (err)
		return err;
	records_leaf(&m->r, file + 1, offset, keep);
	return merge_take(m);
}

static int translate(struct merge *m, uint32_t from, uint32_t to, const struct profile_stack *s, uint32_t *made)
{
	struct profile_stack given = *s;
	uint64_t *callers = malloc((s->nr + 1) * sizeof(*callers));
	int err = callers ? merge_verdict(m, from, s) : -ENOMEM;

	given.is_like = false;
	given.callers = callers;
	for (uint32_t i = 0; !err && i < s->nr; i++)
		err = user_address(m, from, to, profile_stack_ip(s, i), i > 0, i ? &callers[i - 1] : &given.pc);
	if (!err)
		err = profile_intern_stack(m->sum, &given, made);
	free(callers);
	return err;
}

int merge_user_stack(struct merge *m, uint32_t from, uint32_t to, uint32_t stack, uint32_t *made)
{
	const uint64_t key = (uint64_t)to << 32 | stack;
	int err;

	*made = stack;
	if (stack >= m->in.p->nr_stacks)
		return 0;
	*made = idmap_find(&m->in.ustacks, key);
	if (*made != INDEX_NONE)
		return 0;
	err = translate(m, from, to, &m->in.p->stacks[stack], made);
	return err ? err : idmap_set(&m->in.ustacks, key, *made);
}
