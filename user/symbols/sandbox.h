/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - a process that reads what may be made to harm who reads it
 */
#ifndef KFLAME_SANDBOX_H
#define KFLAME_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/confinement.h"

/** struct sandbox - one such process, from the side of who started it */
struct sandbox {
	pid_t pid;
	int fd;			/* what it wrote */
	uint64_t deadline_ns;	/* CLOCK_MONOTONIC: it is given up then */
};

/** struct sandbox_limits - what it may take */
struct sandbox_limits {
	uint64_t time_ns;
	uint64_t memory;	/* bytes more than this process has now */
	uint64_t files;		/* descriptors; RLIMIT_NOFILE */
	unsigned int may;	/* CONFINEMENT_*; 0: only use open descriptors and memory */
};

/**
 * sandbox_start() - runs a function in a child process
 * @s:		for sandbox_end()
 * @fds:	descriptors that it needs; all others are closed in it
 * @nr_fds:	number of them
 * @owner:	one of @fds: the child runs as the owner of this file, so the file cannot make it
 *		open anything that its owner cannot open.  -1, or a file that belongs to root (a
 *		container image's files do): the child runs as nobody
 * @run:	writes to @out; the child ends when it returns
 *
 * The child is confined as confinement.h has it; it dumps no core, has no terminal to write to,
 * leaves it to this process to end on a signal from there, and goes when this process goes.
 *
 * Return: 0 or a negative errno.
 */
int sandbox_start(struct sandbox *s, const struct sandbox_limits *limits, const int *fds,
		  size_t nr_fds, int owner, void (*run)(void *ctx, int out), void *ctx);

/**
 * sandbox_read() - reads what it wrote
 * @least:	waits until there are so many bytes
 * @most:	takes up to so many
 *
 * Return: how many, fewer than @least at the end only; -1 past the deadline.
 */
ssize_t sandbox_read(struct sandbox *s, void *to, size_t least, size_t most);

/** sandbox_left() - Return: nanoseconds until the deadline */
uint64_t sandbox_left(const struct sandbox *s);

/** sandbox_end() - ends it, if it has not ended, and buries it */
void sandbox_end(struct sandbox *s);

#endif
