/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chroot_open.h - files below a directory that stands for /
 *
 * @root is that directory: of another machine that is looked at, or of a process
 * (/proc/PID/root); "" for the running machine.  Below a directory no symbolic link leads out of it, where the kernel can see
 * to that (openat2, 5.6): /lib/modules/.../build is an absolute one.
 */
#ifndef KFLAME_BASE_CHROOT_OPEN_H
#define KFLAME_BASE_CHROOT_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * root_open() - opens what is there, for reading
 * @flags:	more flags of open(2)
 *
 * Waits for nothing: a FIFO or a terminal opens at once.
 *
 * Return: a descriptor or a negative errno.
 */
int root_open(const char *root, const char *path, int flags);

/** root_open_file() - as root_open(); -EINVAL for what is no regular file */
int root_open_file(const char *root, const char *path);

/** root_stays_below() - Return: whether a path begins with a slash and has no "..": it stays below what it is appended to */
bool root_stays_below(const char *path);

/** root_has() - is there anything of that name? */
bool root_has(const char *root, const char *path);

/**
 * root_read() - the beginning of a short file, without newlines at its end
 * @size:	of @text; what does not fit is left out
 *
 * Return: bytes read, a NUL after them; a negative errno, and @text is "".
 */
int root_read(const char *root, const char *path, char *text, size_t size);

/**
 * root_slurp() - a whole file, unpacked if it is one of gzip
 * @max:	most bytes; -EFBIG for more
 * @text:	gets it, NUL terminated, to be freed; NULL after an error
 *
 * Return: 0 or a negative errno; -EIO where it is damaged.
 */
int root_slurp(const char *root, const char *path, size_t max, char **text);

#endif
