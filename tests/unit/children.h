/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * children.h - how child processes of a test end
 */
#ifndef KFLAME_TESTS_CHILDREN_H
#define KFLAME_TESTS_CHILDREN_H

#include <sys/types.h>
#include <sys/wait.h>

/** exit_status() - waits for a child process.  Return: the status with which it exited */
static inline int exit_status(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/** killed_by() - waits for a child process.  Return: the signal that killed it */
static inline int killed_by(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return WTERMSIG(status);
}

#endif
