// SPDX-License-Identifier: GPL-2.0-only
/*
 * frozen.c - the flight recorder as a stream, see device/frozen.h
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "base/memory.h"
#include "device/frozen.h"
#include "device/kernel_names.h"
#include "device/reader.h"
#include "device/stream.h"
#include "recorder/recorder.h"
#include "session/epochs.h"
#include "session/session.h"

/**
 * struct kf_frozen - what one file reads
 * @r:		the recorder, which stays frozen meanwhile
 * @table:	the tables, in the order they are written
 * @nr_tables:	how many
 * @books:	accounting of each CPU that was sampled
 * @nr_books:	how many
 * @begin_ns:	when the first epoch begins
 * @records:	bytes of the session's records that belong to the profile
 * @nr_records:	how many records these are
 * @count:	KFLAME_STAT_*
 * @memory:	bytes reserved
 * @names:	kernel functions in @table
 * @headed:	the head was written
 * @stats_written: the counters were written
 * @ended:	all was written
 * @records_written: bytes of the records written
 * @next_table:	the table that is being written
 * @at:		how far it was written
 * @next_books:	the accounting that is written next
 */
struct kf_frozen {
	struct kf_recorder *r;
	struct kf_table **table;
	u32 nr_tables;
	struct kflame_cpu *books;
	u32 nr_books;
	u64 begin_ns;
	size_t records;
	u64 nr_records;
	u64 count[KFLAME_NR_STATS];
	size_t memory;
	struct kf_knames names;

	bool headed, stats_written, ended;
	size_t records_written;
	u32 next_table;
	struct kf_table_cursor at;
	u32 next_books;
};

/* The part of a CPU's ring that is not older than @since_ns */
static void add_cpu(struct kf_frozen *f, const struct kf_epochs *e, u64 since_ns)
{
	const struct kf_epoch *epoch;
	struct kf_window w;
	u32 i;

	if (!kf_epochs_window(e, since_ns, &w))
		return;
	f->begin_ns = min(f->begin_ns, w.begin_ns);
	f->books[f->nr_books++] = w.books;
	for (i = w.first; i < e->nr; i++) {
		epoch = kf_epochs_nth(e, i);
		/* Ids of stacks differ by the number of their table. */
		epoch->table->serial = f->nr_tables + 1;
		f->table[f->nr_tables++] = epoch->table;
	}
}

static void collect(struct kf_frozen *f)
{
	struct kf_session *s = f->r->session;
	const u64 span = min(f->r->asked.span_ns, f->r->frozen_ns);
	unsigned int cpu;

	f->begin_ns = f->r->frozen_ns;
	for_each_possible_cpu(cpu)
		if (per_cpu_ptr(s->cpu, cpu)->epochs)
			add_cpu(f, per_cpu_ptr(s->cpu, cpu)->epochs, f->r->frozen_ns - span);

	/* The worker may still be walking address spaces that were sampled just now. */
	wait_event_interruptible_timeout(s->wait, kf_aspaces_idle(&s->sampling.aspaces), HZ);
	kf_session_count(s, f->count);
	/* The work drops no records from here on, because the session stays frozen. */
	mutex_lock(&s->take);
	f->records = kf_records_size(&s->records, &f->nr_records);
	mutex_unlock(&s->take);
}

/**
 * kf_frozen_create() - get ready to read the recorder; may sleep
 * @out:	out, for kf_frozen_destroy()
 *
 * Return: 0; -ENODATA if there is no recorder; -EBUSY if it runs; -ENOMEM.
 */
int kf_frozen_create(struct kf_frozen **out)
{
	struct kf_recorder *r = kf_recorder_read();
	struct kf_frozen *f;
	u32 tables;
	int err = -ENOMEM;

	if (IS_ERR(r))
		return PTR_ERR(r);
	f = kvzalloc(sizeof(*f), GFP_KERNEL);
	if (!f) {
		kf_recorder_read_end(r);
		return -ENOMEM;
	}
	f->r = r;
	tables = r->session->epochs * num_possible_cpus();
	/* The reader's buffer is part of no other reservation. */
	f->memory = sizeof(*f->table) * tables + sizeof(*f->books) * num_possible_cpus() + KF_READER_BUFFER;
	if (!kf_memory_reserve(f->memory)) {
		f->memory = 0;
		goto fail;
	}
	f->table = kvcalloc(tables, sizeof(*f->table), GFP_KERNEL);
	f->books = kvcalloc(num_possible_cpus(), sizeof(*f->books), GFP_KERNEL);
	if (!f->table || !f->books)
		goto fail;
	collect(f);
	err = kf_knames_init(&f->names, f->table, f->nr_tables);
	if (err)
		goto fail;
	*out = f;
	return 0;

fail:
	kf_frozen_destroy(f);
	return err;
}

/* @f may be NULL. */
void kf_frozen_destroy(struct kf_frozen *f)
{
	if (!f)
		return;
	kf_knames_exit(&f->names);
	kvfree(f->table);
	kvfree(f->books);
	kf_memory_release(f->memory);
	kf_recorder_read_end(f->r);
	kvfree(f);
}

/* Return: false if the buffer is full. */
static bool fill_tables(struct kf_frozen *f, struct kf_stream *st)
{
	for (; f->next_table < f->nr_tables; f->next_table++) {
		if (!kf_stream_table(st, f->table[f->next_table], &f->at))
			return false;
		memset(&f->at, 0, sizeof(f->at));
	}
	return true;
}

static bool fill_books(struct kf_frozen *f, struct kf_stream *st)
{
	for (; f->next_books < f->nr_books; f->next_books++)
		if (!kf_stream_cpu(st, 0, &f->books[f->next_books]))
			return false;
	return true;
}

static void fill_head(struct kf_frozen *f, struct kf_stream *st)
{
	const struct kf_recorder *r = f->r;

	kf_stream_head(st, r->session);
	kf_stream_set_start(st, f->begin_ns, r->frozen_realtime_ns - (r->frozen_ns - f->begin_ns));
	st->records += f->nr_records;
	f->headed = true;
}

/**
 * kf_frozen_fill() - write the next part of the stream to the empty buffer
 * @f:	what is read
 * @st:	the buffer; it stays empty at the end of the stream
 */
void kf_frozen_fill(struct kf_frozen *f, struct kf_stream *st)
{
	if (f->ended)
		return;
	if (!f->headed)
		fill_head(f, st);
	if (!kf_stream_records(st, &f->r->session->records, f->records, &f->records_written) ||
	    !fill_tables(f, st) || !kf_knames_fill(&f->names, st) || !fill_books(f, st))
		return;
	if (!f->stats_written)
		f->stats_written = kf_stream_stats(st, f->r->frozen_ns, f->count);
	if (f->stats_written)
		f->ended = kf_stream_end(st);
}
