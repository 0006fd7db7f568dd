/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atomic_file.h - a file that is there whole or not at all
 *
 * It has no name until it is whole, or a temporary one where the file system cannot do that, and takes its
 * real name at the end: a full disk, Ctrl-C or a crash leaves what was there before. Devices and pipes are
 * written to as they are. Which places are refused is in output_target.h.
 */
#ifndef KFLAME_BASE_ATOMIC_FILE_H
#define KFLAME_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/output_target.h"

#define OUTPUT_TEMPORARY	48	/* bytes of such a name */

/**
 * struct output - an output on its way; stays where it is until it has ended
 * @file:	write here; errors are found by output_close()
 * @is_terminal: somebody looks at it
 * @at_once:	what is written is there at once: it cannot be taken back
 * @keep_old:	set it before output_close(): what was there keeps its content, as FILE.old
 *
 * The rest is private: the descriptor, the first error (stdio forgets which it
 * was), the place, the path for messages (NULL for standard output), the temporary name ("": none), and
 * whether only the owner may read it.
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
 * output_open() - begins an output
 * @path:	file name; "-" for standard output; NULL for @by_default
 * @by_default:	file name; NULL for standard output
 *
 * A profile that is there is not replaced: what was recorded cannot be made again.
 * Return: 0, or a negative errno, after an error message.
 */
int output_open(struct output *out, const char *path, const char *by_default);

/**
 * output_open_private() - begins an output that only its owner may read, because it has the kernel's addresses
 * @over_profiles:	it is a profile itself, and may replace one
 */
int output_open_private(struct output *out, const char *path, const char *by_default, bool over_profiles);

/**
 * output_close() - ends it: everything is on its way to the disk, or it failed
 *
 * Return: 0, or a negative errno, after an error message; the file
 * is then as it was before.
 */
int output_close(struct output *out);

/** output_abandon() - ends it and leaves what was there before */
void output_abandon(struct output *out);

#endif
