// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - what is said to the user on standard error
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

void complain(const char *format, ...)
{
	va_list args;
	int saved = errno;

	/* Whatever was printed before comes first on a shared terminal */
	fflush(stdout);
	va_start(args, format);
	flockfile(stderr);
	fputs("kflame: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(args);
	errno = saved;
}

int close_stdout(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	/* The reader of a pipe may go when it has seen enough */
	if (errno == EPIPE)
		return 1;
	complain("standard output: %s", strerror(errno));
	return 1;
}
