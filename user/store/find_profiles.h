/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_profiles.h - finds profiles in a spool directory by their names
 *
 * A name that matches is a whole profile: the writer renames it into place.  The profile's header has the exact times.
 */
#ifndef KFLAME_STORE_FIND_PROFILES_H
#define KFLAME_STORE_FIND_PROFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct found_profile - a profile
 * @path:	where it is
 * @host:	its host as in the name; not terminated
 * @host_len:	length of @host
 * @id:		its id; not terminated
 * @id_len:	length of @id
 * @start_ns:	CLOCK_REALTIME
 */
struct found_profile {
	char *path;
	const char *host, *id;
	size_t host_len, id_len;
	uint64_t start_ns;
};

/** struct found_profiles - profiles by host, then by time */
struct found_profiles {
	struct found_profile *all;
	size_t nr, cap;
};

/** found_profile_parse() - reads the name in f->path; @f: .path is set.  Return: false: it is not of a spool */
bool found_profile_parse(struct found_profile *f);

/**
 * find_profiles() - finds the profiles that may have samples of [@from, @to)
 * @s:		out: to be freed by found_profiles_exit(), even after an error.  An id is there once
 * @seen:	out: how many profiles the directory has, of any time
 *
 * The profile before @from is there, too, because only its header says when it ends.
 *
 * Return: 0 or a negative errno, after a message.
 */
int find_profiles(struct found_profiles *s, const char *dir, uint64_t from, uint64_t to, size_t *seen);

/** found_profiles_exit() - frees the list */
void found_profiles_exit(struct found_profiles *s);

#endif
