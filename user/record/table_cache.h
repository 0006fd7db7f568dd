/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_cache.h - compiled unwind tables, kept on disk from one recording to the next
 *
 * Compiling the table of a large file takes up to a second, and samples wait for it. So tables are kept on
 * disk, by build-id and size of the file. A file without a build-id is identified by device, inode, size and
 * change time.
 *
 * The cache is /var/cache/kflame/tables for root. For other users it is kflame/tables in $XDG_CACHE_HOME
 * (~/.cache). The environment variable KFLAME_TABLE_CACHE names another directory. If the variable is empty,
 * there is no cache.
 *
 * The directory must belong to the user of this process, and nobody else may write to it. Any program can
 * claim the build-id of the C library. So only tables of files that root owns, and only root may write, are
 * kept. Version, lengths and checksum of a cached table are checked, and the module verifies every table
 * anyway. A failure of the cache only costs the time to compile the table again. It is no error.
 */
#ifndef KFLAME_RECORD_TABLE_CACHE_H
#define KFLAME_RECORD_TABLE_CACHE_H

#include <stdint.h>

#include "unwind/encode.h"

#define TABLE_CACHE_FILES	1024u		/* limit; the oldest are deleted first */
#define TABLE_CACHE_BYTES	(128ull << 20)	/* limit of all files together */

#define TABLE_CACHE_RECENT	64u		/* tables prepared before a recording begins */

/** struct table_cache_state - the contents of the cache.  @path: "" if there is no cache */
struct table_cache_state {
	char path[512];
	uint64_t files;
	uint64_t bytes;
	const char *trouble;	/* why the cache cannot be used; NULL: it can be, or will be created */
};

/**
 * table_cache_get() - reads the cached table of a file
 * @fd:		the file; its position does not change
 * @out:	out: the table, to be freed with unwind_table_exit()
 *
 * Return: 0; -ENOENT if there is no table, or it cannot be trusted; -ENOMEM.
 */
int table_cache_get(int fd, struct unwind_table *out);

/** table_cache_put() - stores the table of a file; failures are not reported */
void table_cache_put(int fd, const struct unwind_table *table);

/**
 * table_cache_recent() - calls @take with the paths of files whose tables were used recently
 *
 * At most TABLE_CACHE_RECENT paths, the latest first.  Another file may have the path by now.
 */
void table_cache_recent(void (*take)(void *ctx, const char *path), void *ctx);

/** table_cache_look() - describes the contents of the cache, for kflame doctor */
void table_cache_look(struct table_cache_state *state);

#endif
