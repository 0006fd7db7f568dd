/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - finds profiles in a spool directory by their names
 *
 * A name is START-HOST-DIGITS.kflame, or the same with .zst: START is UTC, such as 20261130T084500Z, and DIGITS are 12
 * hexadecimal digits.  The name without its ending is the id of the profile.  A name that matches is a whole profile:
 * the writer renames it into place.  The profile's header has the exact times.
 */
#ifndef KFLAME_STORE_SPOOL_H
#define KFLAME_STORE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct spool_file - a profile
 * @path:	where it is
 * @host:	its host as in the name; not terminated
 * @host_len:	length of @host
 * @id:		its id; not terminated
 * @id_len:	length of @id
 * @start_ns:	CLOCK_REALTIME
 */
struct spool_file {
	char *path;
	const char *host, *id;
	size_t host_len, id_len;
	uint64_t start_ns;
};

/** struct spool - profiles by host, then by time */
struct spool {
	struct spool_file *all;
	size_t nr, cap;
};

/** spool_parse() - reads the name in f->path; @f: .path is set.  Return: false: it is not of a spool */
bool spool_parse(struct spool_file *f);

/**
 * spool_find() - finds the profiles that may have samples of [@from, @to)
 * @s:		out: to be freed by spool_exit(), even after an error.  An id is there once
 * @seen:	out: how many profiles the directory has, of any time
 *
 * The profile before @from is there, too, because only its header says when it ends.
 *
 * Return: 0 or a negative errno, after a message.
 */
int spool_find(struct spool *s, const char *dir, uint64_t from, uint64_t to, size_t *seen);

/** spool_exit() - frees the list */
void spool_exit(struct spool *s);

#endif
