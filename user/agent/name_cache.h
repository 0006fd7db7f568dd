/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_cache.h - names of functions, kept from one cut to the next
 *
 * A sandbox parses a file only if the cut has an address in a function of it that no cut had before.  The kernel's
 * names come from the module, one by one.  Inlined functions and source lines are not looked up.
 */
#ifndef KFLAME_AGENT_NAME_CACHE_H
#define KFLAME_AGENT_NAME_CACHE_H

#include "base/hash.h"
#include "profile/profile.h"
#include "profile/writer.h"

/** struct known_name - a function; @cut: the last cut that has it */
struct known_name {
	uint64_t start, end;
	char *name;
	uint64_t cut;
};

/** struct known_names - functions, sorted by start */
struct known_names {
	struct known_name *all;
	size_t nr, cap;
};

/** struct known_file - what is known about a file; its index in the cache is the value of its id */
struct known_file {
	struct known_names names;
	struct idmap nameless;	/* offsets that were asked for and have no name */
	struct idmap leaves;	/* offset to verdict: 0 or 1 */
	uint32_t state;		/* KFLAME_NAMED_* */
	bool asked;
	uint32_t tries;		/* how often reading it took too long, in a row */
	uint64_t again;		/* no attempt before that cut */
	uint64_t late;		/* the last cut in which a time limit ended an attempt, or left no time for one */
};

/** struct name_cache - all names of a session; all zero is an empty one */
struct name_cache {
	struct known_file *files;
	size_t nr, cap;
	struct idmap ids;	/* id of a file to index */
	struct known_names kernel;
	struct idmap kernel_nameless;
	uint64_t modules;	/* hash of /proc/modules: other modules have other names at the same addresses */
	uint64_t bytes;
	uint64_t asked_files;	/* how many times a sandbox was asked */
	uint64_t dropped;	/* how many times the cache was emptied, because it reached its limit */
};

/** file_fd_fn - Return: a descriptor of the file with that id; -1 to search it by its path; HELD_NOT_YET, NAMING_SKIP */
typedef int file_fd_fn(void *ctx, uint64_t id);

/**
 * name_cache_name() - makes USYM, LEAF, NAMED and KSYM records for the addresses of a cut
 * @p:		the cut, with profile_leave_out_stacks(), finished
 * @device:	descriptor of the session, for the kernel's names
 * @cut:	its number
 * @limit:	of .bytes; beyond it the cache is emptied afterwards
 * @fd:		finds a file
 *
 * It takes five seconds at most, but for one file that took too long before: up to 16 seconds.  Other names are left to
 * a later cut, and the record of their file has KFLAME_NF_TIME.
 *
 * Return: 0 or -ENOMEM.
 */
int name_cache_name(struct name_cache *c, const struct profile *p, int device, uint64_t cut, uint64_t limit,
		    file_fd_fn *fd, void *ctx, struct records *to);

/** name_cache_exit() - frees all names, and leaves the cache empty but for its counters */
void name_cache_exit(struct name_cache *c);

#endif
