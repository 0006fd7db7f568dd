/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - a directory of profiles, limited in bytes and in age
 *
 * base/spool_name.h has the names of the files.  A file gets its name when it is whole.
 */
#ifndef KFLAME_AGENT_SPOOL_H
#define KFLAME_AGENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/spool_name.h"

/**
 * struct spool_file - a profile
 * @start:	seconds since 1970, as in its name
 * @since_ns:	CLOCK_BOOTTIME since which this process has it
 * @own:	this process wrote it
 */
struct spool_file {
	char *name;
	uint64_t bytes;
	uint64_t start;
	uint64_t since_ns;
	bool own;
};

/** struct spool_files - a list of profiles; spool_list() sorts it by name, which is by time */
struct spool_files {
	struct spool_file *all;
	size_t nr, cap;
};

/** struct spool_moment - the same instant on two clocks: CLOCK_REALTIME, which may be set, and CLOCK_BOOTTIME */
struct spool_moment {
	uint64_t real_ns, boot_ns;
};

/** struct spool_limits - the largest sum of sizes, and the largest age */
struct spool_limits {
	uint64_t bytes, ns;
};

/**
 * struct spool - the directory; counters since it was opened
 * @files:	oldest first: those that were there, by name, then those of this process, as it wrote them
 * @offset_ns:	the least that CLOCK_REALTIME was ahead of CLOCK_BOOTTIME
 */
struct spool {
	char *path;
	int dir;
	gid_t reader;
	struct spool_files files;
	int64_t offset_ns;
	uint64_t bytes;
	uint64_t dropped_files, dropped_bytes;	/* whole profiles that made room for later ones */
	uint64_t failed;		/* profiles that could not be written */
};

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
 * On a full disk, older profiles make room.  A clock that is set, back or forth, never makes a profile too old.  A
 * profile from before this process may then stay for longer: at most for the limit, counted from spool_open().
 *
 * Return: 0; -1 after a message.
 */
int spool_put(struct spool *s, const char *id, bool packed, const void *bytes, size_t len,
	      const struct spool_limits *limits, struct spool_moment now);

/** spool_now() - Return: the time of both clocks */
struct spool_moment spool_now(void);

/** spool_close() - closes the directory */
void spool_close(struct spool *s);

#endif
