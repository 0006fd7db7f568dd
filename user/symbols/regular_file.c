// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regular_file.c - opens regular files, and nothing else, by paths that somebody told
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/regular_file.h"

int regular_file_open(const char *path, struct stat *st)
{
	int fd;

	/* To open is too late to look */
	if (stat(path, st))
		return -1;
	if (!S_ISREG(st->st_mode)) {
		errno = ENOENT;
		return -1;
	}
	/* Something else may be there by now */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

int regular_file_open_outside(const char *path, struct stat *st)
{
	int fd = regular_file_open(path, st);
	char *below;

	if (fd >= 0 || asprintf(&below, "/proc/1/root%s", path) < 0)
		return fd;
	fd = regular_file_open(below, st);
	free(below);
	return fd;
}
