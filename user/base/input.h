/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - files that are read because somebody named them, or by default
 */
#ifndef KFLAME_BASE_INPUT_H
#define KFLAME_BASE_INPUT_H

#include <stdio.h>

/**
 * input_open() - opens a file to read
 * @path:	a pipe is waited for until somebody writes to it; NULL for @by_default
 * @by_default:	which is to be a regular file: somebody else may have put a pipe there
 *
 * Return: a descriptor; -errno, -EINVAL where what is there by default is no regular file.
 */
int input_open(const char *path, const char *by_default);

/** input_stream() - opens a file to read that somebody named, as a stream.  Return: NULL with errno */
FILE *input_stream(const char *path);

#endif
