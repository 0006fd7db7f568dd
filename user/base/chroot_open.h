/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chroot_open.h - open files below a directory that stands for /
 *
 * @root is that directory: a copy of another machine's root, or the root of a process (/proc/PID/root).  ""
 * is the running machine.  No symbolic link leads out of @root: an absolute one, such as
 * /lib/modules/.../build, begins there.
 */
#ifndef KFLAME_BASE_CHROOT_OPEN_H
#define KFLAME_BASE_CHROOT_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * root_open() - open a file for reading
 * @flags:	more flags of open(2)
 *
 * This never waits: it opens a FIFO or a terminal at once.
 *
 * Return: a descriptor or a negative errno.
 */
int root_open(const char *root, const char *path, int flags);

/** root_open_file() - as root_open(); -EINVAL if @path is no regular file */
int root_open_file(const char *root, const char *path);

/** root_stays_below() - Return: whether @path begins with a slash and has no "..": safe below a root */
bool root_stays_below(const char *path);

/** root_has() - Return: whether @path exists */
bool root_has(const char *root, const char *path);

/**
 * root_read() - read the beginning of a short file, without newlines at its end
 * @size:	of @text; further bytes are dropped
 *
 * Return: length of @text, which ends with a NUL; or a negative errno, and @text is "".
 */
int root_read(const char *root, const char *path, char *text, size_t size);

/**
 * root_slurp() - read a whole file, and unpack it if it is a gzip file
 * @max:	most bytes to read; a longer file is -EFBIG
 * @text:	gets the NUL-terminated content, which the caller frees; NULL after an error
 *
 * Return: 0 or a negative errno; -EIO if the file is damaged.
 */
int root_slurp(const char *root, const char *path, size_t max, char **text);

#endif
