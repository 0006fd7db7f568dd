/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.h - read(2) and poll(2) of an open file: a session's records as bytes
 *
 * read(2) refills the buffer once it is empty (fill() in device/reader.c):
 *
 * first the head of the stream while it runs records of the work; tables past their high-water
 * mark; every KF_DRAIN_JIFFIES all tables, a sweep that may take several buffers after each STOP
 * records of the work, all of them; then for each CPU what is left in its table, followed by its
 * accounting; then the session's counters, and EOF after a further START as while it runs: what
 * follows the next STOP replaces accounting and counters of before
 */
#ifndef KF_READER_H
#define KF_READER_H

#include <linux/mutex.h>
#include <linux/poll.h>

#include "device/stream.h"

struct kf_frozen;
struct kf_session;
struct kf_snapshot;
struct kf_table;

/**
 * struct kf_reader - reader of one open file
 * @lock:	one read(2) at a time. User memory is written under it. So no
 *		lock that a page fault may need is ever held outside it, or taken inside it
 * @session:	the session that is read; NULL before CONFIGURE
 * @stream:	bytes that wait for read(2)
 * @headed:	the head of the stream was written
 * @stops:	kf_session.stops of the STOP that is being written, or was
 * @ended:	all was written
 * @draining:	a table that was taken
 * @at:		how far @draining was written
 * @cpu:	the CPU of @draining
 * @drains:	kf_session.drains when all tables were last taken
 * @turn:	the next CPU among those whose table is past its high-water mark
 * @sweep:	the next CPU while all tables are taken, which may take many reads
 * @next_cpu:	after STOP: the next CPU whose accounting is written
 * @labels:	labels that were written
 * @functions:	functions of interpreted programs that were written
 * @next_part:	which part of the accounting on that CPU is written next, see fill_from_books()
 * @snapshot:	of the built-in session, for a file that was not configured
 * @frozen:	the flight recorder, for such a file if there is no built-in session, or if it was asked for
 */
struct kf_reader {
	struct mutex lock;
	struct kf_session *session;
	struct kf_stream stream;
	bool headed;
	bool ended;
	u32 stops;
	struct kf_table *draining;
	struct kf_table_cursor at;
	unsigned int cpu;
	u32 drains;
	unsigned int turn;
	unsigned int sweep;
	unsigned int next_cpu;
	u32 labels;
	u32 functions;
	u32 next_part;
	struct kf_snapshot *snapshot;
	struct kf_frozen *frozen;
};

void kf_reader_init(struct kf_reader *r);
void kf_reader_exit(struct kf_reader *r);
int kf_reader_choose_frozen(struct kf_reader *r);
bool kf_reader_has_begun(struct kf_reader *r);
ssize_t kf_reader_read(struct kf_reader *r, char __user *to, size_t size, bool block);
__poll_t kf_reader_poll(struct kf_reader *r);

#endif
