// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - messages to the user on standard error
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

void complain(const char *format, ...)
{
	char some[1024], *all = NULL;
	int saved = errno;
	va_list args;

	/* On a shared terminal, earlier output must appear before the message */
	fflush(stdout);
	va_start(args, format);
	if (vasprintf(&all, format, args) < 0)
		all = NULL;
	va_end(args);
	/* If memory runs out, print the beginning of the message */
	va_start(args, format);
	if (!all)
		vsnprintf(some, sizeof(some), format, args);
	va_end(args);
	flockfile(stderr);
	fputs("kflame: ", stderr);
	text_put(stderr, all ? all : some);
	fputc('\n', stderr);
	funlockfile(stderr);
	free(all);
	errno = saved;
}

static ssize_t write_clean(void *cookie, const char *bytes, size_t len)
{
	char *text = strndup(bytes, len), *rest = text, *line;

	while (text && (line = strsep(&rest, "\n"))) {
		text_put(cookie, line);
		if (rest)
			fputc('\n', cookie);
	}
	free(text);
	return (ssize_t)len;
}

FILE *clean_stream(FILE *to)
{
	static const cookie_io_functions_t functions = { .write = write_clean };
	FILE *f = fopencookie(to, "w", functions);

	/* Buffer the text: write_clean() must get multi-byte characters and whole messages in one piece */
	if (f)
		setvbuf(f, NULL, _IOFBF, 65536);
	return f;
}

int close_stdout(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	/* The reader of a pipe may exit early: this is no reason for a message */
	if (errno == EPIPE)
		return 1;
	complain("standard output: %s", strerror(errno));
	return 1;
}
