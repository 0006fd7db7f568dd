/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child_command.h - the command that is recorded
 *
 * It is forked before the recording begins, so that its process id is known,
 * and runs its program after, so that nothing of it is missed.
 */
#ifndef KFLAME_RECORD_CHILD_COMMAND_H
#define KFLAME_RECORD_CHILD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct command_run - a command that was forked
 * @pid:	its process id; 0 for none
 * @status:	of waitpid(), once @ended
 */
struct command_run {
	pid_t pid;
	int go;			/* a byte here lets it run */
	int failed;		/* tells errno of an exec that failed, or ends */
	bool ended;
	int status;
	const char *name;
};

/**
 * command_fork() - forks it; it waits
 *
 * Makes this process the subreaper of its descendants, so that they stay its
 * descendants when their parents end.  Call before signals are blocked and
 * limits are changed: the command gets them as they are.
 *
 * Return: 0; -1, after an error message.
 */
int command_fork(struct command_run *c, char **argv);

/**
 * command_go() - lets it run its program
 *
 * Return: 0; the exit status for a program that cannot be run, 127 or 126,
 * after an error message.
 */
int command_go(struct command_run *c);

/**
 * command_reap() - takes note of children that ended, without waiting
 *
 * Return: whether the command has ended.
 */
bool command_reap(struct command_run *c);

/** command_signal() - sends it a signal, if it still runs */
void command_signal(const struct command_run *c, int signal);

/** command_status() - Return: its exit status as a shell has it, 128 + signal. */
int command_status(const struct command_run *c);

/** command_drop() - ends a command that was not let go; frees what is left */
void command_drop(struct command_run *c);

#endif
