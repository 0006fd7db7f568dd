// SPDX-License-Identifier: GPL-2.0-only
/*
 * records.c - records that wait for the reader, see store/records.h
 */
#include <linux/slab.h>
#include <linux/mm.h>

#include <kflame.h>
#include "base/memory.h"
#include "store/records.h"

void kf_records_init(struct kf_records *r)
{
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->chunks);
	r->bytes = 0;
	r->nr = 0;
}

/* No record is added or taken any more. */
void kf_records_exit(struct kf_records *r)
{
	struct kf_chunk *c, *next;

	list_for_each_entry_safe(c, next, &r->chunks, list)
		kf_records_free(r, c);
	WARN_ON_ONCE(r->bytes);
}

static struct kf_chunk *chunk_create(struct kf_records *r)
{
	struct kf_chunk *c;

	if (READ_ONCE(r->bytes) + KF_RECORDS_CHUNK > KF_RECORDS_LIMIT ||
	    !kf_memory_reserve(KF_RECORDS_CHUNK))
		return NULL;
	c = kvmalloc(KF_RECORDS_CHUNK, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!c) {
		kf_memory_release(KF_RECORDS_CHUNK);
		return NULL;
	}
	c->used = 0;
	return c;
}

static struct kf_chunk *room_in_last(struct kf_records *r, u32 size)
{
	struct kf_chunk *c;

	if (list_empty(&r->chunks))
		return NULL;
	c = list_last_entry(&r->chunks, struct kf_chunk, list);
	return c->used + size <= KF_RECORDS_CHUNK - sizeof(*c) ? c : NULL;
}

/**
 * kf_records_add() - append a record; may sleep
 * @r:		the list
 * @data:	the record
 * @size:	bytes; far less than a chunk
 *
 * The session's work and a reader that asks for a file's id append. One may use the chunk that the
 * other has begun. Together they may exceed the limit by one chunk.
 * Return: false if there is no room or no memory.
 */
bool kf_records_add(struct kf_records *r, const void *data, u32 size)
{
	struct kf_chunk *fresh = NULL, *c;

	if (WARN_ON_ONCE(size > KF_RECORDS_CHUNK - sizeof(*c)))
		return false;
	spin_lock(&r->lock);
	c = room_in_last(r, size);
	if (!c) {
		spin_unlock(&r->lock);
		fresh = chunk_create(r);
		if (!fresh)
			return false;
		spin_lock(&r->lock);
		list_add_tail(&fresh->list, &r->chunks);
		r->bytes += KF_RECORDS_CHUNK;
		c = fresh;
	}
	memcpy(c->data + c->used, data, size);
	c->used += size;
	r->nr++;
	spin_unlock(&r->lock);
	return true;
}

bool kf_records_empty(struct kf_records *r)
{
	bool empty;

	spin_lock(&r->lock);
	empty = list_empty(&r->chunks);
	spin_unlock(&r->lock);
	return empty;
}

/* Take the oldest chunk; NULL if there is none. The caller frees it by kf_records_free(). */
struct kf_chunk *kf_records_take(struct kf_records *r)
{
	struct kf_chunk *c;

	spin_lock(&r->lock);
	c = list_first_entry_or_null(&r->chunks, struct kf_chunk, list);
	if (c)
		list_del_init(&c->list);
	spin_unlock(&r->lock);
	return c;
}

void kf_records_free(struct kf_records *r, struct kf_chunk *chunk)
{
	spin_lock(&r->lock);
	list_del_init(&chunk->list);
	r->bytes -= KF_RECORDS_CHUNK;
	spin_unlock(&r->lock);
	kvfree(chunk);
	kf_memory_release(KF_RECORDS_CHUNK);
}

/**
 * kf_records_size() - size of a list whose chunks are not taken
 * @r:	the list
 * @nr:	out: number of records
 *
 * Return: bytes.
 */
size_t kf_records_size(struct kf_records *r, u64 *nr)
{
	struct kf_chunk *c;
	size_t size = 0;

	spin_lock(&r->lock);
	list_for_each_entry(c, &r->chunks, list)
		size += c->used;
	*nr = r->nr;
	spin_unlock(&r->lock);
	return size;
}

/* Free all chunks behind @last. */
static void free_behind(struct kf_records *r, struct kf_chunk *last)
{
	while (!list_is_last(&last->list, &r->chunks))
		kf_records_free(r, list_next_entry(last, list));
}

/**
 * kf_records_filter() - drop records, and move the others together; may sleep
 * @r:		the list, whose chunks are not taken
 * @keep:	is a record to stay?
 * @ctx:	for @keep
 *
 * The others stay in their order. A record never moves behind its old place: what is put together needs no
 * more room up to any record than before. Context: nothing else uses the list meanwhile.
 */
void kf_records_filter(struct kf_records *r, bool (*keep)(void *ctx, const struct kflame_rec *rec),
		       void *ctx)
{
	struct kf_chunk *to = list_first_entry_or_null(&r->chunks, struct kf_chunk, list), *from;
	const struct kflame_rec *rec;
	u32 used = 0, at, size, all;

	if (!to)
		return;
	list_for_each_entry(from, &r->chunks, list) {
		/* @from may be @to: then its end is written before it is read again, so remember it. */
		all = from->used;
		for (at = 0; at < all; at += size) {
			rec = (const void *)(from->data + at);
			size = rec->size;
			if (!keep(ctx, rec)) {
				r->nr--;
				continue;
			}
			if (used + size > KF_RECORDS_CHUNK - sizeof(*to)) {
				to->used = used;
				to = list_next_entry(to, list);
				used = 0;
			}
			memmove(to->data + used, rec, size);
			used += size;
		}
		cond_resched();
	}
	to->used = used;
	free_behind(r, to);
}

/**
 * kf_records_copy() - copy records, which stay in the list
 * @r:		the list
 * @from:	bytes to skip
 * @buf:	where to copy to
 * @room:	size of @buf
 *
 * Return: bytes copied, perhaps up to the middle of a record; 0 at the end.
 */
size_t kf_records_copy(struct kf_records *r, size_t from, void *buf, size_t room)
{
	struct kf_chunk *c;
	size_t n = 0;

	spin_lock(&r->lock);
	list_for_each_entry(c, &r->chunks, list) {
		if (from < c->used) {
			n = min_t(size_t, c->used - from, room);
			memcpy(buf, c->data + from, n);
			break;
		}
		from -= c->used;
	}
	spin_unlock(&r->lock);
	return n;
}
