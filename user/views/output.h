/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - a file that is there whole or not at all
 *
 * It is written under a temporary name in the same directory and takes its
 * real name at the end, so a full disk or a Ctrl-C leaves what was there
 * before.  Devices and pipes are written to as they are.
 */
#ifndef KFLAME_VIEWS_OUTPUT_H
#define KFLAME_VIEWS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct output - an output on its way; stays where it is until it has ended
 * @file:	write here; errors are found by output_close()
 * @is_terminal: somebody looks at it
 *
 * The rest is private: the descriptor, the first error (stdio forgets which it
 * was), the name and the temporary name, both NULL for standard output.
 */
struct output {
	FILE *file;
	bool is_terminal;
	int fd;
	int error;
	char *path;
	char *temporary;
};

/**
 * output_open() - begins an output
 * @path:	file name; NULL or "-" for standard output
 *
 * A profile that is there is not replaced: what was recorded cannot be made again.
 * Return: 0, or a negative errno, which was told on standard error.
 */
int output_open(struct output *out, const char *path);

/** output_open_profile() - likewise one that is a profile itself, and may replace one */
int output_open_profile(struct output *out, const char *path);

/**
 * output_close() - ends it: everything is on its way to the disk, or it failed
 *
 * Return: 0, or a negative errno, which was told on standard error; the file
 * is then as it was before.
 */
int output_close(struct output *out);

/** output_abandon() - ends it and leaves what was there before */
void output_abandon(struct output *out);

#endif
