/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_preload.h - predicts which files will be sampled
 *
 * Their unwind tables can then be compiled before the first sample is taken.
 */
#ifndef KFLAME_RECORD_TABLE_PRELOAD_H
#define KFLAME_RECORD_TABLE_PRELOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/** struct likely - open files, each of them once; all zero is none */
struct likely {
	struct likely_file {
		int fd;
		dev_t dev;
		ino_t inode;
	} *all;
	size_t nr, cap;
};

/**
 * likely_command() - adds a program and the libraries that it is linked with
 * @argv:	the command, as for execvp()
 *
 * A file that cannot be found or opened is left out, here and in the functions below.
 */
void likely_command(struct likely *l, char *const *argv);

/** likely_process() - adds the executable mappings of a process, if they are on / or /usr */
void likely_process(struct likely *l, pid_t pid);

/**
 * likely_running() - adds the executable mappings of all running processes
 * @until_ns:	deadline, of CLOCK_MONOTONIC
 */
void likely_running(struct likely *l, uint64_t until_ns);

/** likely_recent() - adds files on / or /usr that were sampled recently */
void likely_recent(struct likely *l);

/** likely_exit() - closes all files, and leaves the set empty */
void likely_exit(struct likely *l);

#endif
