/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - what is said to the user on standard error
 */
#ifndef KFLAME_MESSAGE_H
#define KFLAME_MESSAGE_H

/**
 * complain() - prints "kflame: MESSAGE" and a newline on standard error
 *
 * A message says what failed, on what, and what to do about it.  It may have names that anybody chose: whatever
 * is no character that people can read is U+FFFD, a newline too.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * close_stdout() - flushes standard output at the end of a command
 *
 * Return: 0, or 1 where what was printed did not all arrive, which was told.
 */
int close_stdout(void);

#endif
