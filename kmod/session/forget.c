// SPDX-License-Identifier: GPL-2.0-only
/*
 * forget.c - drop the records of processes that are gone, see session/forget.h
 */
#include <linux/bsearch.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/sort.h>

#include "base/memory.h"
#include "base/on_cpu.h"
#include "process/file_ids.h"
#include "session/epochs.h"
#include "session/forget.h"
#include "session/session.h"

/* Bytes of records that are not worth looking at */
#define LEAST		(1U << 20)
/* From this on, records are dropped once a second: there must be room for those of new processes. */
#define MOST		(KF_RECORDS_LIMIT - 2 * KF_RECORDS_CHUNK)

/* Most address spaces that tables may name. If there are more, nothing is dropped. */
#define IDS_MAX		(1U << 18)

/* A set of ids: collected, then sorted */
struct ids {
	u64 *id;
	size_t nr, room;
};

static int ids_init(struct ids *ids, size_t room)
{
	*ids = (struct ids){};
	if (!kf_memory_reserve(room * sizeof(u64)))
		return -ENOMEM;
	ids->id = kvmalloc_array(room, sizeof(u64), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!ids->id) {
		kf_memory_release(room * sizeof(u64));
		return -ENOMEM;
	}
	ids->room = room;
	return 0;
}

static void ids_exit(struct ids *ids)
{
	kvfree(ids->id);
	kf_memory_release(ids->room * sizeof(u64));
}

/* Most neighbours are equal. */
static void ids_add(struct ids *ids, u64 id)
{
	if (ids->nr < ids->room && (!ids->nr || ids->id[ids->nr - 1] != id))
		ids->id[ids->nr++] = id;
}

static int compare(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Sort, and drop what is there twice. */
static void ids_sort(struct ids *ids)
{
	size_t nr = 0, i;

	sort(ids->id, ids->nr, sizeof(u64), compare, NULL);
	for (i = 0; i < ids->nr; i++)
		if (!nr || ids->id[nr - 1] != ids->id[i])
			ids->id[nr++] = ids->id[i];
	ids->nr = nr;
}

static bool ids_full(const struct ids *ids)
{
	return ids->nr == ids->room;
}

static bool ids_have(const struct ids *ids, u64 id)
{
	return bsearch(&id, ids->id, ids->nr, sizeof(u64), compare);
}

struct scan {
	const struct kf_epochs *e;
	u32 epoch;
	struct ids *ids;
};

/* Collect the address spaces of a CPU's cache. Runs on the CPU, interrupts off; anywhere if it is offline. */
static void scan_cache(void *p)
{
	const struct scan *scan = p;
	const struct kf_aspace_cache *cache = &scan->e->c->cache;
	u32 i;

	for (i = 0; i < KF_ASPACE_CACHE; i++)
		ids_add(scan->ids, cache->line[i].id);
}

/* Collect the address spaces of a table. Runs on its CPU, interrupts off; anywhere if that is offline. */
static void scan_table(void *p)
{
	const struct scan *scan = p;
	const struct kf_table *t = scan->e->epoch[scan->epoch].table;
	u32 i;

	for (i = 0; i < t->nr_entries; i++)
		ids_add(scan->ids, t->entries[i].key.aspace);
}

/* One table after the other, so that no CPU has interrupts off for long. Under cpus_read_lock(). */
static void scan_cpus(struct kf_session *s, struct ids *ids)
{
	struct scan scan = { .ids = ids };
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		/* Pairs with the release in alloc_cpu(), session/session.c: a CPU with a table has a ring. */
		if (!smp_load_acquire(&per_cpu_ptr(s->cpu, cpu)->table))
			continue;
		scan.e = per_cpu_ptr(s->cpu, cpu)->epochs;
		kf_on_cpu(cpu, scan_cache, &scan);
		for (scan.epoch = 0; scan.epoch < s->epochs; scan.epoch++)
			kf_on_cpu(cpu, scan_table, &scan);
		if (ids_full(ids))
			return;
		ids_sort(ids);
		cond_resched();
	}
}

/* @newest: the last id before the scan. @aspaces and @files: to be kept */
struct forget {
	u64 newest;
	struct ids aspaces, files;
};

static bool is_kept(const struct forget *f, u64 aspace)
{
	return aspace > f->newest || ids_have(&f->aspaces, aspace);
}

/* Which files do the mappings that stay refer to? Keeps every record. */
static bool note_file(void *ctx, const struct kflame_rec *rec)
{
	const struct kflame_rec_mapping *m = (const void *)rec;
	struct forget *f = ctx;

	if (rec->type == KFLAME_REC_MAPPING && is_kept(f, m->aspace))
		ids_add(&f->files, m->file);
	return true;
}

static bool keep(void *ctx, const struct kflame_rec *rec)
{
	const struct forget *f = ctx;

	switch (rec->type) {
	case KFLAME_REC_ASPACE:
		return is_kept(f, ((const struct kflame_rec_aspace *)rec)->id);
	case KFLAME_REC_MAPPING:
		return is_kept(f, ((const struct kflame_rec_mapping *)rec)->aspace);
	case KFLAME_REC_FILE:
		return ids_have(&f->files, ((const struct kflame_rec_file *)rec)->id);
	default:
		return true;
	}
}

/*
 * Collect the address spaces that kept samples have, or that samples to come may get. CPUs sample meanwhile.
 * A sample hands an id on in one direction, within one hard interrupt:
 *
 *   session's cache of address spaces -> cache of the sample's CPU -> table of that CPU
 *
 * So the scan goes in this direction, too. An id may be handed on before its source was scanned: then a later
 * step of the scan finds it. If it is handed on afterwards, the scan has found it in the source. In the
 * opposite direction the id could get into a table that was scanned already, and be replaced in the caches
 * before they are. Its records would be dropped, and the sample's process would have no name.
 *
 * Three facts make that complete:
 *   - The steps of a CPU run there with interrupts off, so none is in the middle of a sample.
 *   - An id that the session's cache gets later is above @newest, which was read first, and is kept. Only the
 *     session's work puts older ids there (finish_check() in process/aspace.c). The work is this function's
 *     caller.
 *   - An id that a scanned table lost since, because its epoch ended, is of no kept sample there.
 */
static void collect(struct kf_session *s, struct forget *f)
{
	struct kf_aspaces *a = &s->sampling.aspaces;
	struct ids *ids = &f->aspaces;

	f->newest = kf_aspaces_newest(a);
	ids->nr = kf_aspaces_ids(a, ids->id, ids->room);
	scan_cpus(s, ids);
}

static void forget(struct kf_session *s, struct forget *f)
{
	struct kf_aspaces *a = &s->sampling.aspaces;

	lockdep_assert_held(&s->take);
	collect(s, f);
	if (ids_full(&f->aspaces))
		return;
	ids_sort(&f->aspaces);
	kf_records_filter(&s->records, note_file, f);
	f->files.nr += kf_files_ids(a->files, f->files.id + f->files.nr, f->files.room - f->files.nr);
	ids_sort(&f->files);
	kf_records_filter(&s->records, keep, f);
}

/* Nothing was dropped before, or that was a while ago; and there are enough records. */
static bool is_due(const struct kf_session *s)
{
	return (!s->forget_at || time_after_eq(jiffies, s->forget_next)) &&
	       READ_ONCE(s->records.bytes) > clamp_t(size_t, s->forget_at, LEAST, MOST);
}

/* Most address spaces that collect() may find, within limits */
static size_t most_ids(const struct kf_session *s)
{
	const size_t entries = (size_t)s->epochs * s->sampling.config.entries;

	return min_t(size_t, IDS_MAX, entries * num_possible_cpus()) + KF_ASPACE_SLOTS +
	       KF_ASPACE_CACHE * num_possible_cpus() + 1;
}

/**
 * kf_session_forget() - drop records that nothing refers to, if that is due; may sleep
 * @s:	a session; without epochs nothing is due
 *
 * Context: the session's work.
 *
 * Without memory, or while a CPU comes online or goes offline, nothing is dropped. The work tries again
 * when there are more records.
 */
void kf_session_forget(struct kf_session *s)
{
	const size_t before = READ_ONCE(s->records.bytes);
	struct forget f = {};

	if (!s->epochs || !is_due(s))
		return;
	s->forget_at = before + LEAST;
	s->forget_next = jiffies + HZ;
	if (!cpus_read_trylock())
		return;
	mutex_lock(&s->take);
	/* A frozen session may be read. */
	if (!READ_ONCE(s->frozen) && !ids_init(&f.aspaces, most_ids(s)) &&
	    !ids_init(&f.files, before / sizeof(struct kflame_rec_mapping) + KF_FILES_IDS)) {
		forget(s, &f);
		s->forget_at = max_t(size_t, 2 * s->records.bytes, LEAST);
	}
	mutex_unlock(&s->take);
	cpus_read_unlock();
	ids_exit(&f.aspaces);
	ids_exit(&f.files);
}
