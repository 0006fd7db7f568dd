/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_preload.h - files that will be sampled, as far as can be known before
 *
 * So that their unwind tables can be made before the first sample is taken.
 */
#ifndef KFLAME_RECORD_TABLE_PRELOAD_H
#define KFLAME_RECORD_TABLE_PRELOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/** struct likely - files, each once; all zero is none */
struct likely {
	struct likely_file {
		int fd;
		dev_t dev;
		ino_t inode;
	} *all;
	size_t nr, cap;
};

/**
 * likely_command() - a program and the libraries it is linked with
 * @argv:	as for execvp()
 *
 * What cannot be found out, or opened, is left out; so below.
 */
void likely_command(struct likely *l, char *const *argv);

/** likely_process() - what a process has mapped to be executed, of this machine's own file systems */
void likely_process(struct likely *l, pid_t pid);

/**
 * likely_running() - what all processes that run have mapped
 * @until_ns:	when to stop looking, of CLOCK_MONOTONIC
 */
void likely_running(struct likely *l, uint64_t until_ns);

/** likely_recent() - what was sampled lately, and is on this machine's own file systems */
void likely_recent(struct likely *l);

/** likely_exit() - closes all, and makes it none */
void likely_exit(struct likely *l);

#endif
