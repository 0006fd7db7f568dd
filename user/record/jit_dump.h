/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - the jitdump file of a process: jit-PID.dump, found by its mapping
 *
 * A just-in-time compiler that writes one maps a page of it as code, for profilers to see.
 * (tools/perf/Documentation/jitdump-specification.txt of the kernel)
 */
#ifndef KFLAME_RECORD_JIT_DUMP_H
#define KFLAME_RECORD_JIT_DUMP_H

#include "base/rights.h"
#include "profile/profile.h"
#include "record/perf_map_read.h"

/**
 * jit_dump_open() - opens the one that is mapped there
 *
 * @as:		the rights of the process, to open the file with
 *
 * Also a deleted one, and one in another mount namespace, while the process lives.
 *
 * Return: a descriptor; -ENOENT: none is mapped; -EAGAIN: it cannot be opened.
 */
int jit_dump_open(const struct profile *p, const struct profile_aspace *space,
		  const struct rights *as);

/**
 * jit_dump_read() - names places by a dump
 * @fd:		the file, read and closed
 * @places:	by address; what has a name is given another where the dump has one
 * @lines:	keeps the names; for perf_lines_exit()
 *
 * The last function that was loaded at an address, or moved there, holds.  Whoever runs a
 * program writes the file: of a damaged one, what is before the damage is taken, of one
 * without end a million records.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_dump_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines);

#endif
