/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - the file a recording, or an archive, goes to, as it comes
 */
#ifndef KFLAME_BASE_STREAM_FILE_H
#define KFLAME_BASE_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output_target.h"

/**
 * struct record_output - private, but for @bytes: written so far
 */
struct record_output {
	const char *path;
	struct target target;
	char *old;		/* what was there before is now called that, in the same directory; NULL */
	int fd;
	bool ours;		/* a regular file that we made */
	bool readable;		/* and it can be read again */
	bool failed;		/* an error was reported: nothing more is written */
	uint64_t bytes;
};

/**
 * record_output_open() - makes the file, 0600; one that is there becomes FILE.old
 * @path:	"-" is standard output; devices and pipes are written to as they are; NULL for
 *		@by_default
 * @by_default:	a file name, of a regular file if one is there
 *
 * Places that are refused are in output_target.h.
 * Return: 0; -1, after an error message.
 */
int record_output_open(struct record_output *out, const char *path, const char *by_default);

/** record_output_write() - writes it all.  Return: 0; -1, after an error message (only one). */
int record_output_write(struct record_output *out, const void *data, size_t len);

/**
 * record_output_file() - Return: a descriptor of what was written, to be read with pread(); -1: that
 * cannot be read again. It stays ours.
 */
int record_output_file(const struct record_output *out);

/** record_output_sync() - has it reached the disk?  Return: 0; -1, after an error message (only one). */
int record_output_sync(struct record_output *out);

/**
 * record_output_close() - Return: 0; -1 where it failed now or before, after an error message
 */
int record_output_close(struct record_output *out);

/** record_output_abandon() - nothing was recorded: as if it had never been opened */
void record_output_abandon(struct record_output *out);

#endif
