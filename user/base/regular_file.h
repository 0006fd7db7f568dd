/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular_file.h - opens regular files, and nothing else, by paths that came from elsewhere
 *
 * It is a profile or a program that says which: to open a device can do things (a
 * watchdog starts, a tape rewinds), a pipe makes one wait, and of what the kernel makes up
 * as it is read (/proc, tracefs) some has no end, and some is gone once it was read. Only files on
 * file systems that store files are opened.
 */
#ifndef KFLAME_BASE_REGULAR_FILE_H
#define KFLAME_BASE_REGULAR_FILE_H

#include <sys/stat.h>

#include "base/rights.h"

/**
 * regular_file_open() - opens what is at a path of this process, for reading
 * @as:		rights of the user who chose the path; NULL: our own.  A file on FUSE opens only
 *		with NULL
 * @st:		gets what it is
 *
 * A file server that does not answer delays this for ten seconds at most, and the next times for a second or less.
 *
 * Return: a descriptor of the caller's; -1 with errno.
 */
int regular_file_open(const char *path, const struct rights *as, struct stat *st);

/**
 * regular_file_open_outside() - as above, at a path of the initial mount namespace
 *
 * Here, and where this process has another root (chroot, container), below the
 * root of init.
 */
int regular_file_open_outside(const char *path, const struct rights *as, struct stat *st);

/**
 * regular_file_open_inside() - as above, below a directory that stands for /
 * @root:	of a process (/proc/PID/root); "" for this one's
 *
 * The path is somebody else's: no symbolic link leads out of the directory, and the file
 * itself is none.
 */
int regular_file_open_inside(const char *root, const char *path, const struct rights *as,
			     struct stat *st);

#endif
