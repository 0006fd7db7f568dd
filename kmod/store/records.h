/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * records.h - records that wait for the reader, in the order they were made
 *
 * A list of chunks. The worker that walks address spaces appends. The reader of a session takes
 * chunks away; readers of the built-in session read them and leave them. Records beyond the limit
 * are refused. In a session that has neither, the worker drops records that it need not keep.
 */
#ifndef KF_RECORDS_H
#define KF_RECORDS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define KF_RECORDS_CHUNK	(64U << 10)
#define KF_RECORDS_LIMIT	(16U << 20)

struct kflame_rec;

struct kf_chunk {
	struct list_head list;
	u32 used;
	u8 data[];
};

/**
 * struct kf_records - records of a session's work for its reader
 * @lock:	process context only; guards the list and the chunks' @used
 * @chunks:	oldest first
 * @bytes:	memory in chunks
 * @nr:		records ever added
 * @kept:	records stay as long as the session: no reader takes them away, and the worker drops
 *		none. So one that found no room is not tried again: there will be none. Only of the
 *		built-in session
 */
struct kf_records {
	spinlock_t lock;
	struct list_head chunks;
	size_t bytes;
	u64 nr;
	bool kept;
};

void kf_records_init(struct kf_records *r);
void kf_records_exit(struct kf_records *r);
bool kf_records_add(struct kf_records *r, const void *data, u32 size);
bool kf_records_empty(struct kf_records *r);
struct kf_chunk *kf_records_take(struct kf_records *r);
void kf_records_free(struct kf_records *r, struct kf_chunk *chunk);
size_t kf_records_size(struct kf_records *r, u64 *nr);
void kf_records_filter(struct kf_records *r, bool (*keep)(void *ctx, const struct kflame_rec *rec),
		       void *ctx);
size_t kf_records_copy(struct kf_records *r, size_t from, void *buf, size_t room);

#endif
