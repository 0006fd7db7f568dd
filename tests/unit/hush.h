/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hush.h - keeps messages that a test wants out of the output of the tests
 *
 * Only around the call that complains: a failed assertion must be seen.
 */
#ifndef KFLAME_TEST_HUSH_H
#define KFLAME_TEST_HUSH_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/** hush() - standard error leads nowhere.  Return: for unhush() */
static inline int hush(void)
{
	int saved, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(nowhere, STDERR_FILENO);
	close(nowhere);
	return saved;
}

/** unhush() - standard error is what it was */
static inline void unhush(int saved)
{
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

#endif
