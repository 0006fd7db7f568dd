/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_feeder.h - uploads unwind tables as the module reports files
 *
 * A thread compiles the tables, one after the other, because a large file takes a second.  The recording
 * continues meanwhile.  While the table of a file is missing, its stacks are copied, or end early.
 */
#ifndef KFLAME_RECORD_TABLE_FEEDER_H
#define KFLAME_RECORD_TABLE_FEEDER_H

#include <sys/types.h>

#include "profile/profile.h"
#include "profile/writer.h"

struct table_maker;
struct table_file;

/** struct tables - the tables of a session; all zero is none, and offers are ignored */
struct tables {
	struct table_maker *maker;	/* shared with the thread */
	struct table_file *ready;	/* compiled before the recording begins */
	size_t nr, cap;
};

/**
 * tables_prepare() - compiles a table before the recording begins
 * @fd:		the file; -1 for the vdso; owned by the caller, who keeps it open until
 *		tables_start()
 */
void tables_prepare(struct tables *t, int fd);

/**
 * tables_start() - uploads the prepared tables, and starts the thread that compiles others
 * @device:	descriptor of a started session that uses tables; owned by the caller
 *
 * If memory or threads are short, no further tables are compiled.
 */
void tables_start(struct tables *t, int device);

/**
 * tables_offer() - requests the table of a file that the module reported; any thread may call it
 * @fd:		the mapped file; -1 if it cannot be opened; owned by the caller
 * @owner:	owner of the file: the owner whose tables took the least time so far is served first
 */
void tables_offer(struct tables *t, const struct profile_file *f, int fd, uid_t owner);

/**
 * tables_records() - writes an UNWIND record for each table so far
 * @p:		the recording. A file that it does not report gets no record. If STOP fails, for instance,
 *		the recording ends before all files with a prepared table are reported
 */
void tables_records(struct tables *t, const struct profile *p, struct records *to);

/**
 * tables_last() - when was the last table uploaded during the recording?
 *
 * Return: time by now_ns(); 0 if there was no such table, or some tables are still missing.
 */
uint64_t tables_last(struct tables *t);

/**
 * tables_no_room() - how many files have an interpreter that the module has no room for?
 *
 * The module takes KFLAME_MAX_INTERPRETERS, of which a user other than root gets a quarter.
 */
size_t tables_no_room(struct tables *t);

/** tables_stop() - stops compiling tables, without waiting for the file that the thread works on */
void tables_stop(struct tables *t);

#endif
