/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - open input files, named by the user or by default
 */
#ifndef KFLAME_BASE_INPUT_H
#define KFLAME_BASE_INPUT_H

#include <stdio.h>

/**
 * input_open() - open a file to read
 * @path:	if this is a pipe, wait until a process writes to it.  NULL: use @by_default
 * @by_default:	must be a regular file: another user may have put a pipe there
 *
 * Return: a descriptor or -errno.  If @by_default is used and is no regular file: -EISDIR for a directory,
 * else -EINVAL.
 */
int input_open(const char *path, const char *by_default);

/** input_stream() - open a file that the user named, as a stream.  Return: the stream; NULL with errno */
FILE *input_stream(const char *path);

#endif
