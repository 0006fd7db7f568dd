/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guardian.h - a process that does one thing when the tool ends, however the tool ends
 *
 * The guardian has the read end of a pipe. Only the tool has the write end, so the kernel closes it with the tool's
 * last breath, also after a SIGKILL. The guardian is in a session of its own and ignores the signals that end the tool.
 * It keeps no file of the tool open: a pipe that the tool writes to ends with the tool.
 */
#ifndef KFLAME_TRACE_GUARDIAN_H
#define KFLAME_TRACE_GUARDIAN_H

#include <sys/types.h>

/**
 * struct guardian - the process
 * @pid:	its process id; 0: none
 * @pipe:	the write end of the pipe
 */
struct guardian {
	pid_t pid;
	int pipe;
};

/**
 * guardian_start() - forks the guardian
 * @end:	what it does at the end; it has the memory of the tool as it is now.  Return: its exit status
 * @keep:	a descriptor that the guardian keeps, too; -1: none
 *
 * A child that is forked later must not live longer than the tool without execve(2), which closes the pipe.
 *
 * Return: 0 or a negative errno.
 */
int guardian_start(struct guardian *g, int (*end)(void *ctx), void *ctx, int keep);

/** guardian_finish() - lets the guardian do its work, and waits.  Return: its exit status; -1 if it was killed */
int guardian_finish(struct guardian *g);

#endif
