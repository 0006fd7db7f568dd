/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h - finds and reads the jitdump file (jit-PID.dump) of a process
 *
 * A just-in-time compiler that writes a jitdump also maps one page of the file as executable. That mapping
 * shows profilers where the file is (tools/perf/Documentation/jitdump-specification.txt of the kernel).
 */
#ifndef KFLAME_RECORD_JIT_DUMP_H
#define KFLAME_RECORD_JIT_DUMP_H

#include "base/rights.h"
#include "profile/profile.h"
#include "record/perf_map_read.h"

/**
 * jit_dump_open() - opens the jitdump that is mapped in an address space
 *
 * @as:		the rights of the process, with which the file is opened
 *
 * While the process lives, this also finds a deleted file, and a file in another mount namespace.
 *
 * Return: a descriptor; -ENOENT: no jitdump is mapped; -EAGAIN: the file cannot be opened.
 */
int jit_dump_open(const struct profile *p, const struct profile_aspace *space,
		  const struct rights *as);

/**
 * jit_dump_read() - names addresses by a jitdump
 * @fd:		the file; this function closes it
 * @places:	sorted by address; a name from the dump replaces an earlier name
 * @lines:	owns the names; free it with perf_lines_exit()
 *
 * The last function that was loaded at an address, or moved there, names it. An unprivileged process writes
 * the file. So of a damaged file, only the part before the damage counts, and at most a million records.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_dump_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines);

#endif
