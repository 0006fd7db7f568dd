/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular_file.h - open regular files only, by paths that other users or files chose
 *
 * A profile or a program chooses the path, so it may lead to a file that is not safe to open or read:
 *  - opening a device can have effects: a watchdog starts, a tape rewinds
 *  - opening or reading a pipe can wait for ever
 *  - files that the kernel generates (/proc, tracefs) may be endless, or lose what was read
 *
 * So only files on file systems that store files are opened.
 */
#ifndef KFLAME_BASE_REGULAR_FILE_H
#define KFLAME_BASE_REGULAR_FILE_H

#include <sys/stat.h>

#include "base/rights.h"

/**
 * regular_file_open() - open a path of this process for reading
 * @as:		rights of the user who chose the path; NULL: the tool's own.  A file on FUSE opens only
 *		with NULL
 * @st:		gets the file's stat data
 *
 * A file server that does not answer delays this for at most ten seconds.  After one such delay, later ones
 * take at most one second.
 *
 * Return: a descriptor that the caller closes; -1 with errno.
 */
int regular_file_open(const char *path, const struct rights *as, struct stat *st);

/**
 * regular_file_open_outside() - as regular_file_open(), for a path of the initial mount namespace
 *
 * This tries the path in this process first.  Then it tries the path below the root of init, in case this
 * process has another root (chroot, container).
 */
int regular_file_open_outside(const char *path, const struct rights *as, struct stat *st);

/**
 * regular_file_open_inside() - as regular_file_open(), below a directory that stands for /
 * @root:	root of a process (/proc/PID/root), or directory of --symbols; "": the root of this process
 *
 * No symbolic link leads out of the directory.  With @as, another user chose the path: then its last part
 * must not be a link.  With NULL, the caller named the directory, such as a copy of a root file system.
 */
int regular_file_open_inside(const char *root, const char *path, const struct rights *as,
			     struct stat *st);

#endif
