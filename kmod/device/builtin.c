// SPDX-License-Identifier: GPL-2.0-only
/*
 * builtin.c - the session that runs without a tool, see device/builtin.h
 */
#include <linux/cpu.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/memory.h"
#include "device/builtin.h"
#include "device/folded_text.h"
#include "device/kernel_names.h"
#include "device/reader.h"
#include "device/stream.h"
#include "session/session.h"

/*
 * A table has an entry for each sample in this time. The archive is many times larger than a table.
 */
#define ENTRIES_NS	(4 * NSEC_PER_SEC)

/* The fewest entries that little memory leads to, see default_entries() */
#define ENTRIES_MIN	256U

/*
 * The archive has so many times the entries of a CPU's table. The CPU is part of the key of
 * an entry, so the archive grows with the number of CPUs, within limits.
 */
static u32 archive_factor(void)
{
	return clamp(num_online_cpus() * 2, 8U, 64U);
}

/* Samples that did not fit into the archive, by CPU. */
struct archive_lost {
	u64 samples;
	u64 weight_ns;
};

/**
 * struct kf_archive - the sum of all tables of the built-in session
 * @table:	all samples so far, without those in the CPUs' tables now
 * @lost:	for each possible CPU
 * @map:	scratch: for each stack of the table being added, its id in the archive
 * @frames:	scratch: the stack being added
 * @memory:	bytes reserved
 *
 * Guarded by the session's @take.
 */
struct kf_archive {
	struct kf_table *table;
	struct archive_lost *lost;
	u32 *map;
	u64 frames[KF_MAX_UDEPTH];
	size_t memory;
};

/**
 * struct kf_snapshot - what one `cat` reads
 * @table:	a copy of the archive
 * @books:	accounting of each possible CPU, at the instant its table was taken
 * @records:	bytes of the session's records that belong to the snapshot
 * @nr_records:	how many records these are
 * @count:	KFLAME_STAT_*
 * @time_ns:	when the snapshot was taken
 * @memory:	bytes reserved
 * @names:	kernel functions in @table, for a profile; folded text finds names itself
 * @text:	folded text, NULL for a profile
 * @headed:	the head was written
 * @stats_written:	the counters were written
 * @ended:	all was written
 * @records_written: bytes of the records written
 * @at:		how far @table was written
 * @next_cpu:	the CPU whose accounting is written next
 */
struct kf_snapshot {
	struct kf_table *table;
	struct kflame_cpu *books;
	size_t records;
	u64 nr_records;
	u64 count[KFLAME_NR_STATS];
	u64 time_ns;
	size_t memory;
	struct kf_knames names;
	struct kf_text *text;

	bool headed, stats_written, ended;
	size_t records_written;
	struct kf_table_cursor at;
	unsigned int next_cpu;
};

/* The only built-in session: made at load and destroyed at unload. */
static struct kf_session *builtin;
static bool as_text;

bool kf_builtin_runs(void)
{
	return builtin;
}

/* -------------------------------------------------------------- archive */

static void archive_destroy(struct kf_archive *a)
{
	if (!a)
		return;
	kf_table_destroy(a->table);
	kvfree(a->lost);
	kvfree(a->map);
	kf_memory_release(a->memory);
	kfree(a);
}

/* Entries of the archive, by those of a CPU's table */
static u32 archive_entries(u32 entries)
{
	return min(entries * archive_factor(), KF_TABLE_MAX_ENTRIES);
}

static size_t archive_bytes(u32 entries)
{
	return kf_table_bytes(archive_entries(entries), 0) +
	       sizeof_field(struct kf_archive, lost[0]) * nr_cpu_ids +
	       sizeof_field(struct kf_archive, map[0]) * entries * 2;
}

static struct kf_archive *archive_create(u32 entries)
{
	u32 all = archive_entries(entries);
	struct kf_archive *a = kzalloc(sizeof(*a), GFP_KERNEL);
	size_t memory = archive_bytes(entries);

	if (!a)
		return NULL;
	if (!kf_memory_reserve(memory)) {
		kfree(a);
		return NULL;
	}
	a->memory = memory;
	a->table = kf_table_create(all, 0, NUMA_NO_NODE);
	a->lost = kvcalloc(nr_cpu_ids, sizeof(*a->lost), GFP_KERNEL);
		/* A table has at most twice as many stacks as entries, see store/table.c. */
	a->map = kvcalloc(entries * 2, sizeof(*a->map), GFP_KERNEL);
	if (!a->table || !a->lost || !a->map) {
		archive_destroy(a);
		return NULL;
	}
	return a;
}

/* Add a stack of @t. Return: its id in the archive; 0 if there is no room. */
static u32 archive_stack(struct kf_archive *a, const struct kf_table *t, u32 number)
{
	const struct kf_stack *stack = &t->stacks[number - 1];
	u32 *known = &a->map[number - 1];

	if (!*known) {
		kf_stack_copy(t, stack, a->frames);
		*known = kf_table_stack(a->table, stack->is, a->frames);
	}
	return *known;
}

static void archive_entry(struct kf_archive *a, const struct kf_table *t,
			  const struct kf_entry *e)
{
	struct kf_key key = e->key;

	if (key.kstack)
		key.kstack = archive_stack(a, t, key.kstack);
	if (key.ustack)
		key.ustack = archive_stack(a, t, key.ustack);
	if ((!key.kstack && e->key.kstack) || (!key.ustack && e->key.ustack) ||
	    !kf_table_count(a->table, &key, e->samples, e->weight_ns, e->late_ns)) {
		a->lost[key.cpu].samples += e->samples;
		a->lost[key.cpu].weight_ns += e->weight_ns;
	}
}

/* Add a CPU's table to the archive; @steady, @books: see kf_session_take_table(). */
static void archive_take(struct kf_session *s, unsigned int cpu, bool steady,
			 struct kflame_cpu *books)
{
	struct kf_archive *a = s->archive;
	struct kf_table *t;
	u32 i;

	lockdep_assert_held(&s->take);
	t = kf_session_take_table(s, cpu, steady, books);
	if (!t)
		return;
	memset(a->map, 0, sizeof(*a->map) * t->nr_stacks);
	for (i = 0; i < t->nr_entries; i++) {
		archive_entry(a, t, &t->entries[i]);
		cond_resched();
	}
	kf_session_return_table(s, t, cpu);
}

/*
 * Add the tables that are past their high-water mark to the archive. Context: the session's work.
 */
static void archive_drain(struct kf_session *s)
{
	unsigned int cpu;

	mutex_lock(&s->take);
	for_each_cpu(cpu, s->sampling.full)
		archive_take(s, cpu, false, NULL);
	mutex_unlock(&s->take);
}

/* ------------------------------------------------------------- snapshot */

static void move_to_lost(struct kflame_cpu *books, const struct archive_lost *lost)
{
	books->counted -= lost->samples;
	books->counted_ns -= lost->weight_ns;
	books->lost[KFLAME_LOST_ARCHIVE] += lost->samples;
	books->lost_ns[KFLAME_LOST_ARCHIVE] += lost->weight_ns;
}

static void snapshot_take(struct kf_snapshot *snap, struct kf_session *s)
{
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&s->take);
	for_each_possible_cpu(cpu) {
		archive_take(s, cpu, true, &snap->books[cpu]);
		move_to_lost(&snap->books[cpu], &s->archive->lost[cpu]);
	}
	kf_table_copy(snap->table, s->archive->table);
	mutex_unlock(&s->take);
	cpus_read_unlock();

	/* The worker may still be walking address spaces that were sampled just now. */
	wait_event_interruptible_timeout(s->wait, kf_aspaces_idle(&s->sampling.aspaces), HZ);
	kf_session_count(s, snap->count);
	snap->records = kf_records_size(&s->records, &snap->nr_records);
	snap->time_ns = ktime_get_ns();
}

/* Memory of a snapshot of an archive with so many entries */
static size_t snapshot_bytes(u32 all)
{
	/* The reader's buffer is part of no other reservation. */
	return kf_table_bytes(all, 0) + sizeof_field(struct kf_snapshot, books[0]) * nr_cpu_ids +
	       KF_READER_BUFFER;
}

/**
 * kf_snapshot_create() - copy all data of the built-in session; may sleep
 * @out:	out: the snapshot, for kf_snapshot_destroy()
 *
 * Return: 0; -ENODATA if there is no built-in session; -ENOMEM.
 */
int kf_snapshot_create(struct kf_snapshot **out)
{
	struct kf_session *s = builtin;
	struct kf_snapshot *snap;
	u32 entries;
	int err = -ENOMEM;

	if (!s)
		return -ENODATA;
	snap = kvzalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	entries = s->archive->table->max_entries;
	snap->memory = snapshot_bytes(entries);
	if (!kf_memory_reserve(snap->memory)) {
		kvfree(snap);
		return -ENOMEM;
	}
	snap->table = kf_table_create(entries, 0, NUMA_NO_NODE);
	snap->books = kvcalloc(nr_cpu_ids, sizeof(*snap->books), GFP_KERNEL);
	if (!snap->table || !snap->books)
		goto fail;
	snapshot_take(snap, s);
	if (as_text)
		err = kf_text_create(&snap->text, &s->records, snap->records);
	else
		err = kf_knames_init(&snap->names, &snap->table, 1);
	if (err)
		goto fail;
	*out = snap;
	return 0;

fail:
	kf_snapshot_destroy(snap);
	return err;
}

/* @snap may be NULL. */
void kf_snapshot_destroy(struct kf_snapshot *snap)
{
	if (!snap)
		return;
	kf_text_destroy(snap->text);
	kf_knames_exit(&snap->names);
	kf_table_destroy(snap->table);
	kvfree(snap->books);
	kf_memory_release(snap->memory);
	kvfree(snap);
}

static bool fill_books(struct kf_snapshot *snap, struct kf_stream *st)
{
	for (; snap->next_cpu < nr_cpu_ids; snap->next_cpu++)
		if (snap->books[snap->next_cpu].active_ns &&
		    !kf_stream_cpu(st, 0, &snap->books[snap->next_cpu]))
			return false;
	return true;
}

static void fill_profile(struct kf_snapshot *snap, struct kf_stream *st)
{
	if (!snap->headed) {
		kf_stream_head(st, builtin);
		st->records += snap->nr_records;
		snap->headed = true;
	}
	if (!kf_stream_records(st, &builtin->records, snap->records, &snap->records_written) ||
	    !kf_stream_table(st, snap->table, &snap->at) ||
	    !kf_knames_fill(&snap->names, st) || !fill_books(snap, st))
		return;
	if (!snap->stats_written)
		snap->stats_written = kf_stream_stats(st, snap->time_ns, snap->count);
	if (snap->stats_written && !snap->ended)
		snap->ended = kf_stream_end(st);
}

/**
 * kf_snapshot_fill() - write the next part of a snapshot to the empty buffer
 * @snap:	the snapshot
 * @st:		the buffer; it stays empty at the end of the snapshot
 */
void kf_snapshot_fill(struct kf_snapshot *snap, struct kf_stream *st)
{
	if (snap->text)
		kf_text_fill(snap->text, snap->table, st);
	else if (!snap->ended)
		fill_profile(snap, st);
}

/* -------------------------------------------------------------- lifetime */

/*
 * On a small machine the default tables shrink until they, the archive and one reader's copy take at
 * most half of what the module may take: with the default cap, 1/16 of the machine's memory. The
 * other half is for the rest of the session, a second reader, or a recording beside it.
 */
static u32 default_entries(u64 period_ns)
{
	const u32 tables = num_online_cpus() + num_node_state(N_MEMORY);
	u32 entries = kf_entries_for(period_ns, ENTRIES_NS);

	while (entries > ENTRIES_MIN &&
	       kf_table_bytes(entries, 0) * tables + archive_bytes(entries) +
		       snapshot_bytes(archive_entries(entries)) > kf_memory_cap() / 2)
		entries /= 2;
	return entries;
}

static void report_start(const struct kf_session *s, u32 freq)
{
	pr_info("kflame: sampling at %u Hz, %u entries for each CPU, %u in all. Read them: cat " KFLAME_DEVICE
		" > p.kfl. To begin anew, or with other parameters: rmmod kflame, and insmod again\n",
		freq, s->sampling.config.entries, s->archive->table->max_entries);
}

static void report_failure(u32 freq, u32 entries, int err)
{
	if (err == -ENOMEM)
		pr_err("kflame: cannot start sampling: not enough memory for entries=%u. Set a smaller entries=, or a larger memory_cap= (MiB; now %zu)\n",
		       entries, kf_memory_cap() >> 20);
	else if (err == -EOPNOTSUPP)
		pr_err("kflame: cannot start sampling: this kernel has nothing to walk its stacks by. Build it with CONFIG_STACKTRACE\n");
	else
		pr_err("kflame: cannot start sampling at %u Hz (error %d)\n", freq, err);
}

/**
 * kf_builtin_start() - make and start the built-in session, at load
 * @freq:	samples a second on each CPU, not 0
 * @entries:	entries of a CPU's table, 0 for the default: by @freq, fewer on a small machine
 * @text:	the device returns folded text instead of a profile
 *
 * Return: 0 or a negative errno, as kf_session_configure() and kf_session_start(), which is logged.
 */
int kf_builtin_start(u32 freq, u32 entries, bool text)
{
	struct kflame_config cfg = { .size = sizeof(cfg) };
	const struct kf_ids none = {};
	struct kf_session *s;
	u64 when;
	int err;

	cfg.period_ns = div_u64(NSEC_PER_SEC + freq / 2, freq);
	cfg.entries = entries ?: default_entries(cfg.period_ns);
	cfg.budget_permille = 50;
	s = kf_session_create();
	if (!s) {
		report_failure(freq, cfg.entries, -ENOMEM);
		return -ENOMEM;
	}
	err = kf_session_configure(s, &cfg, &none, NULL);
	if (err)
		goto destroy;
	err = -ENOMEM;
	s->archive = archive_create(cfg.entries);
	if (!s->archive)
		goto destroy;
	s->drain = archive_drain;
	s->records.kept = true;
	err = kf_session_start(s, &when);
	if (err)
		goto destroy_archive;
	as_text = text;
	builtin = s;
	report_start(s, freq);
	return 0;

destroy_archive:
	archive_destroy(s->archive);
destroy:
	report_failure(freq, cfg.entries, err);
	kf_session_destroy(s);
	return err;
}

/* Called at unload, when no file is open any more. There may be no built-in session. */
void kf_builtin_stop(void)
{
	struct kf_archive *archive;

	if (!builtin)
		return;
	archive = builtin->archive;
	kf_session_destroy(builtin);
	archive_destroy(archive);
	builtin = NULL;
}
