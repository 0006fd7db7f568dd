/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - an output file that is written as data arrives: a recording or an archive
 */
#ifndef KFLAME_BASE_STREAM_FILE_H
#define KFLAME_BASE_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output_target.h"

/**
 * struct record_output - private, except for @bytes: the bytes written so far
 */
struct record_output {
	const char *path;
	struct target target;
	char *old;		/* new name of the previous file, in the same directory; NULL */
	int fd;
	bool ours;		/* a regular file that this struct created */
	bool readable;		/* a regular file that can be read, too */
	bool failed;		/* an error was reported: write nothing more */
	uint64_t bytes;
};

/**
 * record_output_open() - create the file with mode 0600; an existing file is renamed to FILE.old
 * @path:	"-" is standard output; devices and pipes are written directly; NULL: use @by_default
 * @by_default:	a file name, which must not be a device or a pipe
 *
 * output_target.h says which files are refused.
 * Return: 0; -1 after an error message.
 */
int record_output_open(struct record_output *out, const char *path, const char *by_default);

/** record_output_write() - write all bytes.  Return: 0; -1 on error, with a message for the first one only */
int record_output_write(struct record_output *out, const void *data, size_t len);

/**
 * record_output_file() - Return: a descriptor to read back what was written, with pread(); -1 if that is not
 * possible.  The caller must not close it.
 */
int record_output_file(const struct record_output *out);

/** record_output_sync() - flush to disk.  Return: 0; -1 on error, with a message for the first one only */
int record_output_sync(struct record_output *out);

/**
 * record_output_close() - close the file
 *
 * Return: 0; -1 if this or an earlier call failed, after an error message
 */
int record_output_close(struct record_output *out);

/** record_output_abandon() - nothing was recorded: remove the new file and give the old one its name back */
void record_output_abandon(struct record_output *out);

#endif
