/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - what is said to the user on standard error
 */
#ifndef KFLAME_BASE_MESSAGE_H
#define KFLAME_BASE_MESSAGE_H

#include <stdio.h>

/**
 * complain() - prints "kflame: MESSAGE" and a newline on standard error
 *
 * A message says what failed, on what, and what to do about it.  It may have names that anybody chose: whatever
 * is no character that people can read is U+FFFD, a newline too.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * clean_stream() - a stream that does to its text what complain() does, and writes it to another one
 * @to:	stays the caller's
 *
 * For libraries that write messages themselves.  It keeps newlines, and writes when it is flushed or closed.
 *
 * Return: for fclose(); NULL without memory
 */
FILE *clean_stream(FILE *to);

/**
 * close_stdout() - flushes standard output at the end of a command
 *
 * Return: 0, or 1 where what was printed did not all arrive, after an error message.
 */
int close_stdout(void);

#endif
