/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child_command.h - starts the command that is recorded
 *
 * The recorder forks the command before the recording begins, so that its process id is known.
 * The child runs the program only after the recording has begun, so that no sample is missed.
 */
#ifndef KFLAME_RECORD_CHILD_COMMAND_H
#define KFLAME_RECORD_CHILD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct command_run - a forked command
 * @pid:	its process id; 0 for none
 * @status:	the status that waitpid() reported; valid if @ended
 */
struct command_run {
	pid_t pid;
	int go;			/* pipe: a byte written here lets the child run the program */
	int failed;		/* pipe: returns the errno of a failed exec, or ends */
	bool ended;
	int status;
	const char *name;
};

/**
 * command_fork() - forks the child, which waits for command_go()
 *
 * Makes this process the subreaper of its descendants: they remain its descendants when their
 * parents end.  Call it before signals are blocked and limits are changed, because the command
 * inherits both.
 *
 * Return: 0; -1, after an error message.
 */
int command_fork(struct command_run *c, char **argv);

/**
 * command_go() - lets the child run its program
 *
 * Return: 0; if the program cannot be run, the exit status 127 or 126, after an error message.
 */
int command_go(struct command_run *c);

/**
 * command_reap() - collects the children that have ended, without waiting
 *
 * Return: whether the command has ended.
 */
bool command_reap(struct command_run *c);

/** command_signal() - sends a signal to the command, if it still runs */
void command_signal(const struct command_run *c, int signal);

/** command_status() - Return: the exit status as a shell reports it; 128 + signal if a signal ended it. */
int command_status(const struct command_run *c);

/** command_drop() - ends a command that never ran its program, and closes its pipes */
void command_drop(struct command_run *c);

#endif
