/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - messages to the user on standard error
 */
#ifndef KFLAME_BASE_MESSAGE_H
#define KFLAME_BASE_MESSAGE_H

#include <stdio.h>

/**
 * complain() - print "kflame: MESSAGE" and a newline on standard error
 *
 * A message says what failed, on what, and what to do about it.  A message may contain names that any user
 * chose.  So bytes that are no readable character are printed as U+FFFD, and newlines too.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * clean_stream() - make a stream that cleans its text as complain() does, and writes it to another stream
 * @to:	the other stream; the caller still owns it
 *
 * Use this for libraries that write messages themselves.  Newlines are kept.  The text is written to @to when
 * the stream is flushed or closed.
 *
 * Return: a stream to close with fclose(); NULL if memory runs out
 */
FILE *clean_stream(FILE *to);

/**
 * close_stdout() - flush standard output at the end of a command
 *
 * Return: 0; 1 if some output was lost.  Prints an error message, unless the reader of a pipe has exited.
 */
int close_stdout(void);

#endif
