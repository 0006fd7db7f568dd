/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - a buffer that records are written to and bytes are read from
 *
 * Writers add whole records until one does not fit. Then the buffer is read empty, in pieces of any
 * size, and they go on. The reader of a session and a snapshot of the built-in session both write
 * records this way.
 */
#ifndef KF_STREAM_H
#define KF_STREAM_H

#include <linux/types.h>

#include <kflame.h>
#include "store/table.h"

struct kf_label;
struct kf_records;
struct kf_session;
struct kf_weights;

/**
 * struct kf_stream - bytes that wait for a reader
 * @buf:	the buffer
 * @room:	size of @buf
 * @len:	bytes written
 * @pos:	bytes read
 * @records:	records written since the beginning
 * @in_short:	stacks and counts may be in LIKES and COUNTS records
 */
struct kf_stream {
	u8 *buf;
	size_t room;
	size_t len;
	size_t pos;
	u64 records;
	bool in_short;
};

/* How far a table was written */
struct kf_table_cursor {
	u32 stack;
	u32 like;
	u32 entry;
	u32 sample;
	u32 event_sample;
};

int kf_stream_init(struct kf_stream *st, size_t room);
void kf_stream_exit(struct kf_stream *st);
void *kf_stream_record(struct kf_stream *st, u32 type, u32 size);
size_t kf_stream_room(const struct kf_stream *st);
ssize_t kf_stream_read(struct kf_stream *st, char __user *to, size_t size);

static inline bool kf_stream_empty(const struct kf_stream *st)
{
	return st->pos == st->len;
}

void kf_stream_head(struct kf_stream *st, const struct kf_session *s);
void kf_stream_set_start(struct kf_stream *st, u64 start_ns, u64 start_realtime_ns);
bool kf_stream_records(struct kf_stream *st, struct kf_records *records, size_t size, size_t *at);
bool kf_stream_table(struct kf_stream *st, const struct kf_table *t,
		     struct kf_table_cursor *at);
bool kf_stream_cpu(struct kf_stream *st, u32 event, const struct kflame_cpu *books);
bool kf_stream_weights(struct kf_stream *st, u32 event, u32 group, u32 cpu, const struct kf_weights *weights);
bool kf_stream_label(struct kf_stream *st, u32 id, const struct kf_label *label);
bool kf_stream_function(struct kf_stream *st, u32 id, const struct kf_label *function);
bool kf_stream_stats(struct kf_stream *st, u64 stop_ns, const u64 *count);
bool kf_stream_ksym(struct kf_stream *st, u64 start, u64 end, const char *name);
bool kf_stream_end(struct kf_stream *st);

#endif
