/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - a directory of profiles, limited in bytes and in age
 *
 * The name of a file is TIME-HOST-ID.kflame, with .zst behind it if it is compressed: TIME is the start of the profile
 * in UTC, such as 20261130T084500Z, and ID has 12 hexadecimal digits.  A file gets its name when it is whole.  The name
 * without its ending is the id of the profile.
 */
#ifndef KFLAME_AGENT_SPOOL_H
#define KFLAME_AGENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SPOOL_ENDING	".kflame"
#define SPOOL_PACKED	".kflame.zst"
#define SPOOL_NAME	320	/* bytes that any name fits in */

/** struct spool_file - a profile; @start: seconds since 1970 */
struct spool_file {
	char *name;
	uint64_t bytes;
	int64_t start;
};

/** struct spool_files - sorted by name, which is by time */
struct spool_files {
	struct spool_file *all;
	size_t nr, cap;
};

/** struct spool - the directory; counters since it was opened */
struct spool {
	char *path;
	int dir;
	gid_t reader;
	struct spool_files files;
	uint64_t bytes;
	uint64_t dropped_files, dropped_bytes;	/* whole profiles that made room for later ones */
	uint64_t failed;		/* profiles that could not be written */
};

/**
 * spool_parse_name() - is this the name of a profile?
 * @id_len:	out: bytes of its id
 * @start:	out: seconds since 1970
 */
bool spool_parse_name(const char *name, size_t *id_len, int64_t *start);

/** spool_list() - lists the profiles in a directory.  Return: 0 or a negative errno */
int spool_list(int dir, struct spool_files *files);

/** spool_files_exit() - frees the list */
void spool_files_exit(struct spool_files *files);

/**
 * spool_open() - opens the directory, creates it if it is not there, and removes unfinished files
 * @reader:	group that may read the profiles; (gid_t)-1: the group stays as it is
 *
 * Return: 0; -1 after a message.
 */
int spool_open(struct spool *s, const char *path, gid_t reader);

/**
 * spool_id() - makes the id of a profile
 * @start_ns:	CLOCK_REALTIME
 * @id:		SPOOL_NAME bytes
 */
void spool_id(char *id, uint64_t start_ns, const char *host);

/**
 * spool_put() - writes a profile, and removes the oldest ones beyond the limits
 * @packed:	the bytes are compressed
 *
 * On a full disk, older profiles make room.
 * Return: 0; -1 after a message.
 */
int spool_put(struct spool *s, const char *id, bool packed, const void *bytes, size_t len, uint64_t most_bytes,
	      uint64_t most_ns);

/** spool_close() - closes the directory */
void spool_close(struct spool *s);

#endif
