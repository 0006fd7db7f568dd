/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - makes the records that the tool adds to a profile
 */
#ifndef KFLAME_PROFILE_WRITER_H
#define KFLAME_PROFILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * struct records - whole records, one after another; all zero is none
 * @data:	the bytes, 8-byte aligned
 * @nr:		number of records
 * @failed:	memory ran out: some are missing
 */
struct records {
	unsigned char *data;
	size_t len;
	size_t cap;
	uint64_t nr;
	bool failed;
};

/** records_exit() - frees the records; @r is empty afterwards */
void records_exit(struct records *r);

/**
 * records_add() - adds a record
 * @fixed:	its structure, which begins with struct kflame_rec: the caller sets .type, not .size
 * @fixed_len:	bytes of @fixed, up to where @tail begins
 * @tail:	the bytes after @fixed; may be NULL
 *
 * The record is padded with zeroes to a multiple of 8 bytes. A record longer than KFLAME_REC_MAX is
 * not added.
 */
void records_add(struct records *r, void *fixed, size_t fixed_len, const void *tail,
		 size_t tail_len);

/** records_file() - a mapped file; @f has all but its header and the length of its path */
void records_file(struct records *r, const struct kflame_rec_file *f, const char *path);

/** records_ksym() - a kernel function */
void records_ksym(struct records *r, uint64_t start, uint64_t end, const char *name);

/** records_usym() - a function of file number @file */
void records_usym(struct records *r, uint64_t file, uint64_t start, uint64_t end,
		  const char *name);

/** records_jsym() - a function in no file, in address space number @aspace */
void records_jsym(struct records *r, uint64_t aspace, uint64_t start, uint64_t end,
		  const char *name);

/** records_leaf() - a verdict on a candidate caller */
void records_leaf(struct records *r, uint64_t file, uint64_t offset, bool keep);

/** records_named() - the result of reading a file's symbols: KFLAME_NAMED_*, KFLAME_NF_* */
void records_named(struct records *r, uint64_t file, uint32_t state, uint32_t flags);

/** records_unwind() - the result of making a file's unwind table; @u needs no header */
void records_unwind(struct records *r, const struct kflame_rec_unwind *u);

/** records_cgroup() - a cgroup, its path from the root of the hierarchy */
void records_cgroup(struct records *r, uint64_t id, const char *path);

/** records_text() - a text that other records name by @id */
void records_text(struct records *r, uint32_t id, const char *text);

struct profile_function;

/** records_function() - a function of interpreted programs that stacks name by @id */
void records_function(struct records *r, uint32_t id, const struct profile_function *function);

/** records_label() - what samples are about: a text that stacks name by @id */
void records_label(struct records *r, uint32_t id, const char *text);

/** records_source() - the source lines of the code at an offset of file number @file, 0: the kernel */
void records_source(struct records *r, uint64_t file, uint64_t offset,
		    const struct kflame_source_level *levels, uint32_t nr);

/** records_event() - an event; @e has all but .id */
struct profile_event;
void records_event(struct records *r, const struct profile_event *e, uint32_t id);

/** records_origin() - the origin of the COUNT records after it; @text, @len as for records_host() */
void records_origin(struct records *r, uint32_t id, const char *text, size_t len);

/** records_host() - @text: "key=value" strings, a NUL after each; @len counts the last NUL */
void records_host(struct records *r, const char *text, size_t len);

/**
 * records_event_count() - a count of an event
 * @event:	id of the event, not 0
 * @c:		the count as one of the timer: its weight is in the event's unit
 * @id:		id of the count; 0 for none
 */
void records_event_count(struct records *r, uint32_t event, const struct kflame_rec_count *c, uint64_t id);

/** records_waker() - who ended waits; @w has all but its type and size */
void records_waker(struct records *r, const struct kflame_rec_waker *w);

/** records_wake_count() - as records_event_count(), of waits that the waker with the id @waker ended */
void records_wake_count(struct records *r, uint32_t event, const struct kflame_rec_count *c, uint64_t waker);

/** records_end() - the profile is whole; @before: number of records in the stream before @r */
void records_end(struct records *r, uint64_t before);

#endif
