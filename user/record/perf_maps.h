/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_maps.h - the names of code that a just-in-time compiler made
 *
 * A process that has such code may tell of it in /tmp/perf-PID.map, a line a function:
 * address, bytes (both hexadecimal), name.  Path and PID are those that the process sees.
 * (tools/perf/Documentation/jit-interface.txt of the kernel)  Or it writes a jitdump, see
 * jit_dump.h; where it does both, the jitdump holds.
 */
#ifndef KFLAME_RECORD_PERF_MAPS_H
#define KFLAME_RECORD_PERF_MAPS_H

#include <sys/types.h>

#include "base/rights.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/perf_map_read.h"

/** struct perf_map - the files of one process */
struct perf_map {
	uint32_t tgid;
	uint64_t start_time_ns;		/* of the process */
	struct rights owner;		/* of the process; nobody until they are known */
	int fd;				/* -1 while it is not there, -2 when it never will be */
	int dump;			/* of its jitdump, as fd; -1 while none is mapped */
};

/** struct perf_user - one whose files were read: what was taken of them, and whether that is all that may be */
struct perf_user {
	uid_t id;
	struct perf_use used;
	bool is_full;
};

/** struct perf_maps - those of all processes that need one; all zero is none */
struct perf_maps {
	struct perf_map *all;
	size_t nr, cap;
	size_t open;			/* files */
	struct perf_user *users;	/* while files are read */
	size_t nr_users, cap_users;
	bool left_out;			/* somebody has too many processes: this one, for instance */
	uid_t left_out_owner;
	uint64_t bytes;			/* of the profile, looked at */
	bool more;			/* there is more of it */
	uint64_t tried_ns;
};

/**
 * perf_maps_update() - opens the files of processes in the profile
 *
 * While they live: from then on the file can be read, even if it is in a mount
 * namespace that goes with them.
 */
void perf_maps_update(struct perf_maps *m, const struct profile *p);

/**
 * perf_maps_wait() - when perf_maps_update() should be called again
 *
 * A compiler makes its file when it has made its first function.
 *
 * Return: nanoseconds from now at most; UINT64_MAX: not before the profile tells more.
 */
uint64_t perf_maps_wait(const struct perf_maps *m);

/**
 * perf_maps_name() - JSYM records for the addresses that occur
 * @p:		the profile, finished
 * @to:		gets the records
 *
 * Of several names for an address, the last one holds: code is made anew in its place.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_maps_name(struct perf_maps *m, const struct profile *p, struct records *to);

/** perf_name_fn - takes the name of code in an address space.  Return: 0; anything else ends it */
typedef int (*perf_name_fn)(void *ctx, uint32_t aspace, uint64_t start, uint64_t end,
			    const char *name);

/**
 * perf_maps_look() - as perf_maps_name(), while it is recorded: the files stay, and are read again next time
 *
 * Return: 0, -ENOMEM, or what @take returned.
 */
int perf_maps_look(struct perf_maps *m, const struct profile *p, perf_name_fn take, void *ctx);

/** perf_maps_exit() - closes all */
void perf_maps_exit(struct perf_maps *m);

#endif
