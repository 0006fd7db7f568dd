/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nursery.h - the process that starts processes that unwind, and ends them
 *
 * "kflame record -- COMMAND" samples its own descendants, for the command's may be handed to
 * it. What unwinds must not be among them, or it would be in its own profile: so it descends
 * from a process that left the family before this one took in orphans (command_fork()).
 */
#ifndef KFLAME_NURSERY_H
#define KFLAME_NURSERY_H

#include <sys/types.h>

/** struct nursery - from the side of who started it; .control -1 is none */
struct nursery {
	int control;
};

/**
 * nursery_start() - starts it
 *
 * Confined as sandbox.h has it, as nobody; so is all that it starts. It ends when .control
 * is closed, and with it what it started.
 *
 * Return: 0 or a negative errno.
 */
int nursery_start(struct nursery *n);

/**
 * nursery_unwinder() - starts a process that unwinds, and kills the one before it
 * @pid:	gets its number
 *
 * Return: the socket to talk to it (unwinder.h); -1: there is no nursery any more.
 */
int nursery_unwinder(struct nursery *n, pid_t *pid);

/** nursery_end() - ends it, and what it started */
void nursery_end(struct nursery *n);

#endif
