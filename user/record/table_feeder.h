/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_feeder.h - uploads unwind tables as the module reports files
 *
 * A thread compiles the tables, one after the other, because a large file takes a second.  The recording goes on
 * meanwhile.  Samples of files whose table is not there yet are copied, or end early.
 */
#ifndef KFLAME_RECORD_TABLE_FEEDER_H
#define KFLAME_RECORD_TABLE_FEEDER_H

#include <sys/types.h>

#include "profile/profile.h"
#include "profile/writer.h"

struct table_maker;
struct table_file;

/** struct tables - all zero is none, which take nothing */
struct tables {
	struct table_maker *maker;	/* shared with the thread */
	struct table_file *ready;	/* made before the recording begins */
	size_t nr, cap;
};

/**
 * tables_prepare() - makes a table before the recording begins
 * @fd:		of the file; -1 for the vdso; stays the caller's, and must stay open until
 *		tables_start()
 */
void tables_prepare(struct tables *t, int fd);

/**
 * tables_start() - gives the module what is prepared, and begins to make others
 * @device:	of /dev/kflame, of a session with tables that was started; stays the caller's
 *
 * Without memory, or without threads, none are made.
 */
void tables_start(struct tables *t, int device);

/**
 * tables_offer() - a file that the module reported; may be called by any thread
 * @fd:		of what was mapped; -1 where it is not to be had; stays the caller's
 * @owner:	of the file: files of the owner whose tables took the least time come first
 */
void tables_offer(struct tables *t, const struct profile_file *f, int fd, uid_t owner);

/**
 * tables_records() - adds an UNWIND record for each table that was made so far
 * @p:		the recording: of a file that it does not tell of there is no record. It may
 *		end before all files with a prepared table are reported, as where STOP fails
 */
void tables_records(struct tables *t, const struct profile *p, struct records *to);

/**
 * tables_last() - when was the last table there that was made during the recording?
 *
 * Return: by now_ns(); 0 if there was none, or some are not there yet.
 */
uint64_t tables_last(struct tables *t);

/** tables_stop() - makes no more; what is being read just now is not waited for */
void tables_stop(struct tables *t);

#endif
