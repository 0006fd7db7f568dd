/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atomic_file.h - an output file that appears complete or not at all
 *
 * The file gets its real name when it is complete.  Until then it has no name, or a temporary name if the
 * file system requires one.  So a full disk, Ctrl-C or a crash leaves the previous file as it was.  Devices
 * and pipes are written directly.  output_target.h says which files are refused.
 */
#ifndef KFLAME_BASE_ATOMIC_FILE_H
#define KFLAME_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/output_target.h"

#define OUTPUT_TEMPORARY	48	/* bytes of a temporary name */

/**
 * struct output - an output that is being written; must not move in memory until it is closed
 * @file:	write here; output_close() reports errors
 * @is_terminal: the output is a terminal
 * @at_once:	bytes reach the output while they are written, and cannot be taken back: a pipe, a device
 * @keep_old:	set this before output_close() to keep the previous file as FILE.old
 *
 * The other members are private: the descriptor, the first error (stdio does not keep it), the target, the
 * path for messages (NULL: standard output), the temporary name ("": none), and whether only the owner may
 * read the file.
 */
struct output {
	FILE *file;
	bool is_terminal;
	bool at_once;
	bool keep_old;
	int fd;
	int error;
	struct target target;
	char *path;
	char temporary[OUTPUT_TEMPORARY];
	bool is_private;
};

/**
 * output_open() - begin an output
 * @path:	file name; "-": standard output; NULL: use @by_default
 * @by_default:	file name; NULL: standard output
 *
 * This never replaces a profile, because a recording cannot be repeated.
 * Return: 0, or a negative errno after an error message.
 */
int output_open(struct output *out, const char *path, const char *by_default);

/**
 * output_open_private() - begin an output that only its owner may read, because it has kernel addresses
 * @over_profiles:	the output is a profile itself, and may replace a profile
 */
int output_open_private(struct output *out, const char *path, const char *by_default, bool over_profiles);

/**
 * output_close() - finish the output and give the file its name
 *
 * Return: 0, or a negative errno after an error message.  After an error the previous file is unchanged.
 */
int output_close(struct output *out);

/** output_abandon() - discard the output and leave the previous file unchanged */
void output_abandon(struct output *out);

#endif
