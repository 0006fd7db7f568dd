/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - unprivileged processes that parse untrusted input
 *
 * The tool runs as root and reads programs of all users.  A sandbox is a process that parses such a file.  It
 * has no privileges, and the tool kills it when it takes too long.  The tool checks each answer of a sandbox.
 *
 * A sandbox does not share the tool's memory.  When the tool needs the first sandbox, it starts a fork
 * server: its own program once more, in new namespaces (server.c).  The fork server forks each sandbox.
 *
 *	tool ----> fork server ----> sandbox for one file
 *	                       ----> sandbox for another file
 */
#ifndef KFLAME_SANDBOX_SANDBOX_H
#define KFLAME_SANDBOX_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/confinement.h"

#define SANDBOX_MOST_FDS	4

/** struct sandbox_job - what a sandbox works on, as seen inside the sandbox */
struct sandbox_job {
	int out;		/* write the answer here */
	const int *fds;		/* the descriptors of struct sandbox_input */
	size_t nr_fds;
	const void *question;	/* the bytes of struct sandbox_input; NULL if there are none */
	size_t len;
};

/**
 * struct sandbox_work - a kind of work that sandboxes do
 * @name:	identifies the work; at most 15 characters
 * @run:	runs inside the sandbox; when it returns, the sandbox ends
 * @prepare:	runs before @run, with the tool's privileges, to open files of the system.  May be NULL
 */
struct sandbox_work {
	const char *name;
	void (*run)(const struct sandbox_job *job);
	void (*prepare)(void);
};

/** struct sandbox_limits - limits of one sandbox */
struct sandbox_limits {
	uint64_t time_ns;	/* time until sandbox_read() fails; also limits CPU time */
	uint64_t memory;	/* bytes of address space, in addition to those of an idle sandbox */
	uint64_t files;		/* open descriptors */
	unsigned int may;	/* CONFINEMENT_*; 0: use only open descriptors and memory */
};

/** struct sandbox_input - what to work on */
struct sandbox_input {
	const int *fds;		/* at most SANDBOX_MOST_FDS; the caller still owns them */
	size_t nr_fds;
	const void *question;	/* copied */
	size_t len;
	const int *owner;	/* run as the owner of this file.  NULL, or a file of root: run as nobody */
};

/** struct sandbox - a running sandbox, as seen by the tool */
struct sandbox {
	pid_t pid;
	uint32_t job;		/* its id in the fork server */
	int fd;			/* read its answer here */
	uint64_t deadline_ns;	/* CLOCK_MONOTONIC */
};

/**
 * sandbox_main() - become the fork server, if this process was started for that
 * @works:	all kinds of work that this program's sandboxes do; ends with NULL
 *
 * Each program that uses sandboxes must call this first in main().  In all other processes it returns at
 * once.
 */
void sandbox_main(const struct sandbox_work *const *works);

/**
 * sandbox_prepare() - start the fork server now
 *
 * The fork server is no descendant of this process, so it does not count as a process of the recorded
 * command.  Call this before the process adopts orphans (command_fork()).
 *
 * Return: 0 or a negative errno.
 */
int sandbox_prepare(void);

/**
 * sandbox_start() - start a sandbox
 * @s:		for sandbox_end()
 *
 * The sandbox ends when this process ends, at the latest.  Any thread may call this.
 *
 * Return: 0 or a negative errno.
 */
int sandbox_start(struct sandbox *s, const struct sandbox_work *work,
		  const struct sandbox_limits *limits, const struct sandbox_input *input);

/**
 * sandbox_read() - read the answer
 * @least:	wait for at least this many bytes
 * @most:	read at most this many bytes
 *
 * Return: number of bytes, less than @least only at the end of the answer; -1 past the deadline or after an
 * error.
 */
ssize_t sandbox_read(struct sandbox *s, void *to, size_t least, size_t most);

/**
 * sandbox_memory() - how much memory a sandbox may need for a file
 * @most:	upper limit of the result
 *
 * The result is a few times the bytes that the file has on disk.  A sparse file claims a larger size.
 *
 * Return: bytes, for struct sandbox_limits.
 */
uint64_t sandbox_memory(int fd, uint64_t most);

/** sandbox_left() - Return: nanoseconds until the deadline */
uint64_t sandbox_left(const struct sandbox *s);

/** sandbox_end() - kill the sandbox */
void sandbox_end(struct sandbox *s);

#endif
