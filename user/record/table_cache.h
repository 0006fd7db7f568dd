/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_cache.h - compiled unwind tables, kept on disk from one recording to the next
 *
 * To make a large file's table takes up to a second, and samples wait for it.  Tables are kept by build-id
 * and size, or by which file it is and when it was changed. They are in /var/cache/kflame/tables, for root, or
 * below $XDG_CACHE_HOME (~/.cache).  The environment variable KFLAME_TABLE_CACHE names another directory;
 * where it is empty, none is used.
 *
 * The directory must be ours, and nobody else's to write.  Only tables of files that root owns, and
 * nobody else may write, are kept: another program may have the build-id of the C library.  What
 * is read is checked: version, lengths and a checksum; the module checks tables anyway.  What
 * fails costs the time to make the table, and is no error.
 */
#ifndef KFLAME_RECORD_TABLE_CACHE_H
#define KFLAME_RECORD_TABLE_CACHE_H

#include <stdint.h>

#include "unwind/encode.h"

#define TABLE_CACHE_FILES	1024u		/* kept at most; the oldest go first */
#define TABLE_CACHE_BYTES	(128ull << 20)	/* of all files together */

#define TABLE_CACHE_RECENT	64u		/* made ready before a recording begins */

/** struct table_cache_state - what is there.  @path: "" where none is used */
struct table_cache_state {
	char path[512];
	uint64_t files;
	uint64_t bytes;
	const char *trouble;	/* why it is not used, in a few words; NULL: it is, or will be made */
};

/**
 * table_cache_get() - reads a file's table
 * @fd:		of the file; its position is kept
 * @out:	gets the table, for unwind_table_exit()
 *
 * Return: 0; -ENOENT where it is not there, or is not to be trusted; -ENOMEM.
 */
int table_cache_get(int fd, struct unwind_table *out);

/** table_cache_put() - keeps a file's table; failures are not reported */
void table_cache_put(int fd, const struct unwind_table *table);

/**
 * table_cache_recent() - calls @take with the paths of files whose tables were of use lately
 *
 * The latest TABLE_CACHE_RECENT, the latest first.  Another file may have the path by now.
 */
void table_cache_recent(void (*take)(void *ctx, const char *path), void *ctx);

/** table_cache_look() - what is kept, for the doctor */
void table_cache_look(struct table_cache_state *state);

#endif
