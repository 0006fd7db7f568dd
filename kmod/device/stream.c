// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c - a buffer: records are written to it, bytes are read from it; see device/stream.h
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>

#include "base/version.h"
#include "device/stream.h"
#include "session/session.h"
#include "source/source.h"
#include "store/labels.h"
#include "store/records.h"

/* Most elements of one record. More would not make the stream shorter. */
#define IN_A_RECORD	1024U

int kf_stream_init(struct kf_stream *st, size_t room)
{
	memset(st, 0, sizeof(*st));
	st->buf = kvmalloc(room, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!st->buf)
		return -ENOMEM;
	st->room = room;
	return 0;
}

void kf_stream_exit(struct kf_stream *st)
{
	kvfree(st->buf);
}

/* Bytes that still fit into the buffer */
size_t kf_stream_room(const struct kf_stream *st)
{
	return st->room - st->len;
}

/*
 * Begin a record of @fixed bytes, which are zeroed but for the header, and @more bytes, all of
 * which the caller writes. Both are multiples of 8. Return: NULL if the record does not fit now.
 */
static void *begin_record(struct kf_stream *st, u32 type, u32 fixed, u32 more)
{
	struct kflame_rec *rec = (void *)(st->buf + st->len);

	if (kf_stream_room(st) < fixed + more)
		return NULL;
	memset(rec, 0, fixed);
	rec->type = type;
	rec->size = fixed + more;
	st->len += rec->size;
	st->records++;
	return rec;
}

/*
 * Extend the last record by @more bytes that were written behind it: a multiple of 8, and they fit.
 */
static void lengthen(struct kf_stream *st, struct kflame_rec *rec, u32 more)
{
	rec->size += more;
	st->len += more;
}

/**
 * kf_stream_record() - begin a record
 * @st:		the stream
 * @type:	KFLAME_REC_*
 * @size:	bytes, including the header; a multiple of 8
 *
 * Return: the record, zeroed but for its header; NULL if it does not fit now.
 */
void *kf_stream_record(struct kf_stream *st, u32 type, u32 size)
{
	return begin_record(st, type, size, 0);
}

/**
 * kf_stream_read() - copy bytes of the buffer to user space
 * @st:		the stream
 * @to:		user buffer
 * @size:	size of @to
 *
 * Return: bytes copied, 0 if the buffer is empty; -EFAULT.
 */
ssize_t kf_stream_read(struct kf_stream *st, char __user *to, size_t size)
{
	size_t n = min(size, st->len - st->pos);
	size_t left = copy_to_user(to, st->buf + st->pos, n);

	if (n && left == n)
		return -EFAULT;
	n -= left;
	st->pos += n;
	if (kf_stream_empty(st)) {
		st->len = 0;
		st->pos = 0;
	}
	return n;
}

/* Write which events the session has, if its configuration names any. They fit. */
static void put_events(struct kf_stream *st, const struct kf_sampling *sampling)
{
	struct kflame_rec_event *rec;
	const struct kf_event *e;
	u32 i;

	for (i = 0; i < sampling->config.nr_events; i++) {
		e = &sampling->events[i];
		rec = kf_stream_record(st, KFLAME_REC_EVENT, sizeof(*rec));
		rec->id = e->id;
		rec->kind = e->source->kind;
		rec->unit = e->unit;
		rec->arg = e->operands.arg;
		strscpy(rec->full_name, e->name, sizeof(rec->full_name));
		if (strscpy(rec->name, e->name, sizeof(rec->name)) < 0)
			snprintf(rec->name + sizeof(rec->name) - 4, 4, "~%u", e->id);
	}
}

/* Write the head, with which every stream begins. The buffer is empty. */
void kf_stream_head(struct kf_stream *st, const struct kf_session *s)
{
	struct kflame_file_header *h = (void *)st->buf;
	struct kflame_rec_session *rec;

	memset(h, 0, sizeof(*h));
	memcpy(h->magic, KFLAME_FILE_MAGIC, sizeof(h->magic));
	h->version = KFLAME_FILE_VERSION;
	h->endian = KFLAME_FILE_ENDIAN;
	h->header_size = sizeof(*h);
	st->len = sizeof(*h);
	st->in_short = s->sampling.config.flags & KFLAME_CF_SHORT;

	rec = kf_stream_record(st, KFLAME_REC_SESSION, sizeof(*rec));
	rec->abi = KFLAME_ABI;
	rec->kway = s->sampling.config.kway;
	rec->flags = s->sampling.config.flags;
	rec->asked_period_ns = s->asked_period_ns;
	rec->period_ns = s->sampling.config.period_ns;
	rec->resolution_ns = hrtimer_resolution;
	rec->start_ns = s->start_ns;
	rec->start_realtime_ns = s->start_realtime_ns;
	rec->entries = s->sampling.config.entries;
	rec->kdepth = s->sampling.config.kdepth;
	rec->udepth = s->sampling.config.udepth;
	rec->budget_permille = s->sampling.config.budget_permille;
	rec->nr_cpus = num_online_cpus();
	rec->page_size = PAGE_SIZE;
	strscpy(rec->release, init_utsname()->release, sizeof(rec->release));
	strscpy(rec->machine, init_utsname()->machine, sizeof(rec->machine));
	strscpy(rec->version, kf_version, sizeof(rec->version));
	rec->events = kf_sources_supported();
	put_events(st, &s->sampling);
}

/* The profile begins later than its session. The head was just written. */
void kf_stream_set_start(struct kf_stream *st, u64 start_ns, u64 start_realtime_ns)
{
	struct kflame_rec_session *rec = (void *)(st->buf + sizeof(struct kflame_file_header));

	rec->start_ns = start_ns;
	rec->start_realtime_ns = start_realtime_ns;
}

/**
 * kf_stream_records() - write records that stay in their list; the caller adds their number to @st->records
 * @st:		the stream
 * @records:	the list, whose chunks are not taken
 * @size:	how many bytes of it
 * @at:		how many were written
 *
 * Return: true when all are written, false if the buffer is full.
 */
bool kf_stream_records(struct kf_stream *st, struct kf_records *records, size_t size, size_t *at)
{
	size_t n;

	while (*at < size) {
		n = min(kf_stream_room(st), size - *at);
		n = kf_records_copy(records, *at, st->buf + st->len, n);
		if (!n)
			return false;
		st->len += n;
		*at += n;
	}
	return true;
}

/*
 * The id of a stack or entry in the stream: the serial number of its table, and its id in the
 * table.
 */
static u64 number_of(const struct kf_table *t, u32 number)
{
	return number ? (u64)t->serial << 32 | number : 0;
}

static bool tell_stack(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	const struct kf_stack *stack = &t->stacks[i];
	struct kflame_rec_stack *rec;

	rec = begin_record(st, KFLAME_REC_STACK, sizeof(*rec), stack->is.nr * sizeof(u64));
	if (!rec)
		return false;
	rec->id = number_of(t, i + 1);
	rec->kind = stack->is.kind;
	rec->end = stack->is.end;
	rec->candidate = stack->is.candidate == KF_NO_CANDIDATE ? KFLAME_NO_CANDIDATE :
								stack->is.candidate;
	rec->nr = stack->is.nr;
	kf_stack_copy(t, stack, rec->ip);
	return true;
}

/* Does it join a kernel stack with a waker? Then it is no stack of the stream. */
static bool is_joint(const struct kf_table *t, u32 i)
{
	return t->stacks[i].is.kind == KF_STACK_WAKE;
}

static bool is_like(const struct kf_table *t, u32 i)
{
	return t->stacks[i].like != i + 1 && !is_joint(t, i);
}

/*
 * Write stacks that share their callers with others, from @i on, as many as fit. The others were
 * written before.
 * Return: the index to go on with; @i if nothing fits.
 */
static u32 tell_likes(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	struct kflame_rec_likes *rec;
	u32 nr = 0, room;

	if (kf_stream_room(st) < struct_size(rec, like, 1))
		return i;
	room = min((size_t)IN_A_RECORD,
		   (kf_stream_room(st) - sizeof(*rec)) / sizeof(rec->like[0]));
	rec = begin_record(st, KFLAME_REC_LIKES, sizeof(*rec), 0);
	if (!rec)
		return i;
	for (; i < t->nr_stacks && nr < room; i++)
		if (is_like(t, i))
			rec->like[nr++] = (struct kflame_like){
				.ip = t->stacks[i].ip, .number = i + 1, .like = t->stacks[i].like,
			};
	rec->stacks = (u64)t->serial << 32;
	rec->nr = nr;
	lengthen(st, &rec->rec, nr * sizeof(rec->like[0]));
	return i;
}

/* Return: false if the buffer is full. */
static bool tell_all_likes(struct kf_stream *st, const struct kf_table *t,
			   struct kf_table_cursor *at)
{
	u32 next;

	for (; st->in_short; at->like = next) {
		while (at->like < t->nr_stacks && !is_like(t, at->like))
			at->like++;
		if (at->like == t->nr_stacks)
			break;
		next = tell_likes(st, t, at->like);
		if (next == at->like)
			return false;
	}
	return true;
}

static bool tell_entry(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	const struct kf_entry *e = &t->entries[i];
	const bool numbered = t->max_samples;
	struct kflame_rec_count *rec;

	rec = kf_stream_record(st, KFLAME_REC_COUNT, struct_size(rec, id, numbered));
	if (!rec)
		return false;
	rec->aspace = e->key.aspace;
	rec->kstack = number_of(t, e->key.kstack);
	rec->ustack = number_of(t, e->key.ustack);
	rec->samples = e->samples;
	rec->weight_ns = e->weight_ns;
	rec->late_ns = e->late_ns;
	rec->cpu = e->key.cpu;
	rec->context = e->key.context;
	rec->tgid = e->key.tgid;
	rec->tid = e->key.tid;
	memcpy(rec->comm, e->key.comm, sizeof(rec->comm));
	if (numbered)
		rec->id[0] = number_of(t, i + 1);
	return true;
}

/* Do the values fit into a COUNTS record? */
static bool is_short(const struct kf_entry *e)
{
	return e->samples <= U32_MAX && e->late_ns <= U32_MAX;
}

/* Are both keys equal but for their stacks? Then they are of the same event, too. */
static bool is_same_task(const struct kf_key *a, const struct kf_key *b)
{
	const u32 behind = offsetof(struct kf_key, cpu) / sizeof(u64);

	BUILD_BUG_ON(offsetof(struct kf_key, cpu) % sizeof(u64));
	return a->aspace == b->aspace && kf_words_equal((const u64 *)a + behind,
							(const u64 *)b + behind,
							KF_KEY_WORDS - behind);
}

/*
 * Write entries of one task, from @i on, as many as fit; the first one is_short(). Return: how
 * many.
 */
static u32 tell_entries(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	const struct kf_entry *e = &t->entries[i];
	const struct kf_key *key = &e->key;
	struct kflame_rec_counts *rec;
	u32 nr = 0, room;

	if (kf_stream_room(st) < struct_size(rec, count, 1))
		return 0;
	room = min3((size_t)IN_A_RECORD, (size_t)(t->nr_entries - i),
		    (kf_stream_room(st) - sizeof(*rec)) / sizeof(rec->count[0]));
	rec = begin_record(st, KFLAME_REC_COUNTS, sizeof(*rec), 0);
	if (!rec)
		return 0;
	for (; nr < room && is_short(e) && is_same_task(&e->key, key); nr++, e++)
		rec->count[nr] = (struct kflame_counted){
			.weight_ns = e->weight_ns, .kstack = e->key.kstack,
			.ustack = e->key.ustack, .samples = e->samples, .late_ns = e->late_ns,
		};
	rec->aspace = key->aspace;
	rec->stacks = (u64)t->serial << 32;
	rec->cpu = key->cpu;
	rec->context = key->context;
	rec->tgid = key->tgid;
	rec->tid = key->tid;
	memcpy(rec->comm, key->comm, sizeof(rec->comm));
	rec->nr = nr;
	rec->first = t->max_samples ? i + 1 : 0;
	lengthen(st, &rec->rec, nr * sizeof(rec->count[0]));
	return nr;
}

/* Write an entry that is a waker. Return: 1, or 0 if it does not fit */
static u32 put_waker(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	const struct kf_key *key = &t->entries[i].key;
	struct kflame_rec_waker *rec = kf_stream_record(st, KFLAME_REC_WAKER, sizeof(*rec));

	if (!rec)
		return 0;
	rec->id = number_of(t, i + 1);
	rec->aspace = key->aspace;
	rec->kstack = number_of(t, key->kstack);
	rec->ustack = number_of(t, key->ustack);
	rec->cpu = key->cpu;
	rec->context = kf_key_only_context(key);
	rec->tgid = key->tgid;
	rec->tid = key->tid;
	memcpy(rec->comm, key->comm, sizeof(rec->comm));
	return 1;
}

/* Has the entry a waker? */
static bool is_woken(const struct kf_table *t, const struct kf_entry *e)
{
	return e->key.kstack && is_joint(t, e->key.kstack - 1);
}

static struct kflame_wake_count wake_count(const struct kf_table *t, const struct kf_entry *e)
{
	const struct kf_stack *joint = is_woken(t, e) ? &t->stacks[e->key.kstack - 1] : NULL;

	return (struct kflame_wake_count){
		.of = {
			.weight = e->weight_ns, .samples = e->samples,
			.kstack = number_of(t, joint ? kf_stack_frame(t, joint, 0) : e->key.kstack),
			.ustack = number_of(t, e->key.ustack),
		},
		.waker = joint ? number_of(t, kf_stack_frame(t, joint, 1)) : 0,
	};
}

/*
 * Write entries of one task and one event other than the timer, from @i on, as many as fit: all of
 * them with wakers, or all without. Return: how many.
 */
static u32 put_event_entries(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	const struct kf_entry *e = &t->entries[i];
	const bool woken = is_woken(t, e);
	const size_t each = woken ? sizeof(struct kflame_wake_count) : sizeof(struct kflame_event_count);
	const struct kf_key *key = &e->key;
	struct kflame_rec_event_counts *rec;
	struct kflame_wake_count count;
	u32 nr = 0, room;

	/* Both records begin alike, and so do their elements. */
	BUILD_BUG_ON(offsetof(struct kflame_rec_event_counts, count) !=
		     offsetof(struct kflame_rec_wake_counts, count) ||
		     offsetof(struct kflame_wake_count, of));
	if (kf_stream_room(st) < sizeof(*rec) + each)
		return 0;
	room = min3((size_t)IN_A_RECORD, (size_t)(t->nr_entries - i),
		    (kf_stream_room(st) - sizeof(*rec)) / each);
	rec = begin_record(st, woken ? KFLAME_REC_WAKE_COUNTS : KFLAME_REC_EVENT_COUNTS, sizeof(*rec), 0);
	if (!rec)
		return 0;
	for (; nr < room && is_same_task(&e->key, key) && is_woken(t, e) == woken; nr++, e++) {
		count = wake_count(t, e);
		memcpy((u8 *)(rec + 1) + nr * each, &count, each);
	}
	rec->aspace = key->aspace;
	rec->cpu = key->cpu;
	rec->context = kf_key_only_context(key);
	rec->tgid = key->tgid;
	rec->tid = key->tid;
	memcpy(rec->comm, key->comm, sizeof(rec->comm));
	rec->event = kf_key_event(key);
	rec->nr = nr;
	rec->first = t->max_samples ? number_of(t, i + 1) : 0;
	lengthen(st, &rec->rec, nr * each);
	return nr;
}

/* Write an entry, and others that fit into the same record. Return: how many; 0 if nothing fits. */
static u32 put_some(struct kf_stream *st, const struct kf_table *t, u32 i)
{
	if (t->entries[i].key.context & KF_KEY_WAKER)
		return put_waker(st, t, i);
	if (kf_key_event(&t->entries[i].key))
		return put_event_entries(st, t, i);
	if (st->in_short && is_short(&t->entries[i]))
		return tell_entries(st, t, i);
	return tell_entry(st, t, i);
}

static bool is_of_event(const struct kf_table *t, const struct kflame_sample *sample)
{
	return kf_key_event(&t->entries[sample->count - 1].key);
}

/*
 * Write sample times from @i on, as many as fit: those of the timer (KFLAME_REC_SAMPLE), or those
 * of other events (KFLAME_REC_EVENT_SAMPLE). Return: the index to go on with; @i if nothing fits.
 */
static u32 put_samples(struct kf_stream *st, const struct kf_table *t, u32 i, u32 type)
{
	const bool of_events = type == KFLAME_REC_EVENT_SAMPLE;
	struct kflame_rec_sample *rec;
	u32 nr = 0, room;

	if (kf_stream_room(st) < struct_size(rec, sample, 1))
		return i;
	room = min((size_t)IN_A_RECORD, (kf_stream_room(st) - sizeof(*rec)) / sizeof(rec->sample[0]));
	rec = begin_record(st, type, sizeof(*rec), 0);
	if (!rec)
		return i;
	rec->counts = (u64)t->serial << 32;
	/* All samples of a table are of one CPU. Wakers may be of others. */
	rec->cpu = t->entries[t->samples[i].count - 1].key.cpu;
	for (; i < t->nr_samples && nr < room; i++)
		if (is_of_event(t, &t->samples[i]) == of_events)
			rec->sample[nr++] = t->samples[i];
	rec->nr = nr;
	lengthen(st, &rec->rec, nr * sizeof(rec->sample[0]));
	return i;
}

/* Write all sample times of one kind, see put_samples(). Return: false if the buffer is full. */
static bool put_all_samples(struct kf_stream *st, const struct kf_table *t, u32 *at, u32 type)
{
	const bool of_events = type == KFLAME_REC_EVENT_SAMPLE;
	u32 next;

	for (;; *at = next) {
		while (*at < t->nr_samples && is_of_event(t, &t->samples[*at]) != of_events)
			++*at;
		if (*at == t->nr_samples)
			return true;
		next = put_samples(st, t, *at, type);
		if (next == *at)
			return false;
	}
}

/**
 * kf_stream_table() - write a table: its stacks, its entries, then the times of samples
 * @st:		the stream
 * @t:		must not change meanwhile
 * @at:		where to go on; zero at first
 *
 * Return: true when all is written, false if the buffer is full.
 */
bool kf_stream_table(struct kf_stream *st, const struct kf_table *t,
		     struct kf_table_cursor *at)
{
	u32 written;

	for (; at->stack < t->nr_stacks; at->stack++)
		if (!(st->in_short && is_like(t, at->stack)) && !is_joint(t, at->stack) &&
		    !tell_stack(st, t, at->stack))
			return false;
	if (!tell_all_likes(st, t, at))
		return false;
	for (; at->entry < t->nr_entries; at->entry += written) {
		written = put_some(st, t, at->entry);
		if (!written)
			return false;
	}
	return put_all_samples(st, t, &at->sample, KFLAME_REC_SAMPLE) &&
	       put_all_samples(st, t, &at->event_sample, KFLAME_REC_EVENT_SAMPLE);
}

static bool put_event_cpu(struct kf_stream *st, u32 event, const struct kflame_cpu *books)
{
	struct kflame_rec_event_cpu *rec;

	rec = kf_stream_record(st, KFLAME_REC_EVENT_CPU, sizeof(*rec));
	if (!rec)
		return false;
	rec->event = event;
	rec->books = *books;
	return true;
}

/* Write the accounting of an event on a CPU; @event: its id. Return: false if the buffer is full. */
bool kf_stream_cpu(struct kf_stream *st, u32 event, const struct kflame_cpu *books)
{
	struct kflame_rec_cpu *rec;

	if (event)
		return put_event_cpu(st, event, books);
	rec = kf_stream_record(st, KFLAME_REC_CPU, sizeof(*rec));
	if (!rec)
		return false;
	rec->books = *books;
	return true;
}

/*
 * Write a histogram, unless it is empty; @event: id of the event, @group: KFLAME_GROUP_*. Return: false if
 * it may not fit.
 */
bool kf_stream_weights(struct kf_stream *st, u32 event, u32 group, u32 cpu, const struct kf_weights *weights)
{
	struct kflame_rec_event_histogram *rec;
	u32 i, nr = 0;
	u64 count;

	if (kf_stream_room(st) < struct_size(rec, bucket, KFLAME_BUCKETS))
		return false;
	rec = (void *)(st->buf + st->len);
	for (i = 0; i < KFLAME_BUCKETS; i++) {
		count = READ_ONCE(weights->count[i]);
		if (count)
			rec->bucket[nr++] = (struct kflame_bucket){ .count = count, .bucket = i };
	}
	if (!nr)
		return true;
	rec = begin_record(st, KFLAME_REC_EVENT_HISTOGRAM, sizeof(*rec), nr * sizeof(rec->bucket[0]));
	rec->event = event;
	rec->group = group;
	rec->cpu = cpu;
	rec->nr = nr;
	rec->weight = READ_ONCE(weights->sum);
	rec->longest = READ_ONCE(weights->longest);
	return true;
}

/* Write a label. Return: false if the buffer is full. */
bool kf_stream_label(struct kf_stream *st, u32 id, const struct kf_label *label)
{
	struct kflame_rec_label *rec;

	rec = kf_stream_record(st, KFLAME_REC_LABEL, sizeof(*rec) + ALIGN(label->len + 1, 8));
	if (!rec)
		return false;
	rec->id = id;
	rec->kind = label->kind;
	rec->dev_major = label->major;
	rec->dev_minor = label->minor;
	rec->root_len = label->root_len;
	rec->text_len = label->len;
	memcpy(rec->text, label->text, label->len);
	return true;
}

/* Write a function of an interpreted program. Return: false if the buffer is full. */
bool kf_stream_function(struct kf_stream *st, u32 id, const struct kf_label *function)
{
	struct kflame_rec_function *rec;

	rec = kf_stream_record(st, KFLAME_REC_FUNCTION, sizeof(*rec) + ALIGN(function->len + 1, 8));
	if (!rec)
		return false;
	rec->id = id;
	rec->kind = function->kind;
	rec->line = function->minor;
	rec->name_len = function->root_len;
	rec->text_len = function->len;
	memcpy(rec->text, function->text, function->len);
	return true;
}

/* @count: KFLAME_NR_STATS counters */
bool kf_stream_stats(struct kf_stream *st, u64 stop_ns, const u64 *count)
{
	struct kflame_rec_stats *rec;

	rec = kf_stream_record(st, KFLAME_REC_STATS, sizeof(*rec));
	if (!rec)
		return false;
	rec->stop_ns = stop_ns;
	memcpy(rec->count, count, sizeof(rec->count));
	return true;
}

bool kf_stream_ksym(struct kf_stream *st, u64 start, u64 end, const char *name)
{
	size_t len = strlen(name);
	struct kflame_rec_ksym *rec;

	rec = kf_stream_record(st, KFLAME_REC_KSYM, sizeof(*rec) + ALIGN(len + 1, 8));
	if (!rec)
		return false;
	rec->start = start;
	rec->end = end;
	rec->name_len = len;
	memcpy(rec->name, name, len);
	return true;
}

bool kf_stream_end(struct kf_stream *st)
{
	u64 records = st->records;
	struct kflame_rec_end *rec;

	rec = kf_stream_record(st, KFLAME_REC_END, sizeof(*rec));
	if (!rec)
		return false;
	rec->records = records;
	return true;
}
