/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_maps.h - names the code of just-in-time compilers
 *
 * A process with such code may describe it in /tmp/perf-PID.map, one line for each function: address and size
 * (both hexadecimal), then the name. Path and PID are those inside the namespaces of the process
 * (tools/perf/Documentation/jit-interface.txt of the kernel).  Other processes write a jitdump, see
 * jit_dump.h. If a process writes both, the jitdump takes precedence.
 */
#ifndef KFLAME_RECORD_PERF_MAPS_H
#define KFLAME_RECORD_PERF_MAPS_H

#include <sys/types.h>

#include "base/rights.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/perf_map_read.h"

/** struct perf_map - the perf map and the jitdump of one process */
struct perf_map {
	uint32_t tgid;
	uint64_t start_time_ns;		/* of the process */
	struct rights owner;		/* of the process; rights_nobody() while unknown */
	int fd;				/* perf map: -1 not there yet, -2 will never be there */
	int dump;			/* jitdump: a descriptor; -1 if none is open */
};

/** struct perf_user - how much was read from one user's files, and whether the user's budget is used up */
struct perf_user {
	uid_t id;
	struct perf_use used;
	bool is_full;
};

/** struct perf_maps - the files of all processes with such code; all zero is none */
struct perf_maps {
	struct perf_map *all;
	size_t nr, cap;
	size_t open;			/* how many files are open */
	struct perf_user *users;	/* filled while files are read */
	size_t nr_users, cap_users;
	bool left_out;			/* a process was left out, because its owner has too many */
	uid_t left_out_owner;
	uint64_t bytes;			/* size of the profile at the last look */
	bool more;			/* the profile has grown since */
	uint64_t tried_ns;
};

/**
 * perf_maps_update() - opens the files of the processes in the profile
 *
 * It must run while the processes live. An open file stays readable, even if the process ends and its
 * mount namespace goes away.
 */
void perf_maps_update(struct perf_maps *m, const struct profile *p);

/**
 * perf_maps_wait() - when perf_maps_update() should be called again
 *
 * A compiler creates its file only with its first function, so the file is looked for repeatedly.
 *
 * Return: nanoseconds from now at most; UINT64_MAX: not before the profile grows.
 */
uint64_t perf_maps_wait(const struct perf_maps *m);

/**
 * perf_maps_name() - writes JSYM records for the sampled addresses
 * @p:		the complete profile
 * @to:		receives the records
 *
 * If an address has several names, the last one counts: compilers reuse the memory of old code.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_maps_name(struct perf_maps *m, const struct profile *p, struct records *to);

/** perf_name_fn - receives the name of code in an address space.  Return: 0; else the caller stops */
typedef int (*perf_name_fn)(void *ctx, uint32_t aspace, uint64_t start, uint64_t end,
			    const char *name);

/**
 * perf_maps_look() - as perf_maps_name(), during the recording: the files stay open for the next call
 *
 * Return: 0, -ENOMEM, or what @take returned.
 */
int perf_maps_look(struct perf_maps *m, const struct profile *p, perf_name_fn take, void *ctx);

/** perf_maps_exit() - closes all files */
void perf_maps_exit(struct perf_maps *m);

#endif
