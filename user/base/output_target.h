/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_target.h - where an output goes, in directories that others may write to, too
 *
 * Somebody else may have put a link, a pipe or a file at the name, to have what root writes go elsewhere, or
 * to read it. So the kernel follows links, with its own protection (fs.protected_symlinks), and what is
 * there must be the caller's or root's; a regular file may be of its directory's owner as well. Whatever is
 * done later is done to the name in the directory that was looked at.
 */
#ifndef KFLAME_BASE_OUTPUT_TARGET_H
#define KFLAME_BASE_OUTPUT_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/**
 * enum target_use - what becomes of a file that is there
 * @TARGET_REPLACE:	a new one takes its place, also where a link leads to it
 * @TARGET_KEEP:	it, or the link to it, gets another name
 */
enum target_use {
	TARGET_REPLACE,
	TARGET_KEEP,
};

/**
 * struct target - a name in a directory, and what is there
 * @dir:	descriptor of the directory; -1
 * @name:	in it
 * @is_there:	something is; @st says what
 * @st:		its owner and mode
 * @fd:		of a device or a pipe, which is written to as it is; -1 for files
 * @refused:	why it is not written to, the rest of a sentence that begins with the name; NULL
 */
struct target {
	int dir;
	char name[NAME_MAX + 1];
	bool is_there;
	struct stat st;
	int fd;
	const char *refused;
};

/**
 * target_find() - looks at the place
 * @t:		out; target_exit() is due in any case
 * @path:	of it
 * @named:	somebody gave this path; else it is what a command writes to by default, which is never
 *		a device or a pipe
 * @use:	see there
 *
 * Return: 0; -errno; -EPERM with .refused.
 */
int target_find(struct target *t, const char *path, bool named, enum target_use use);

/** target_complain() - say why a place is refused.  Return: whether it is */
bool target_complain(const struct target *t, const char *path);

void target_exit(struct target *t);

#endif
