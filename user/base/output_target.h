/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_target.h - find where an output goes, also in directories that other users may write to
 *
 * Another user may have put a link, a pipe or a file at the name of an output.  Then that user could redirect
 * what root writes, or read it.  So the kernel follows links, with its own protection
 * (fs.protected_symlinks), and kflame refuses:
 *  - links, pipes and devices that belong neither to the caller nor to root
 *  - regular files of another user in a sticky directory that others may write to, unless that user owns the
 *    directory
 *
 * All later steps use the name in the directory that was checked.
 */
#ifndef KFLAME_BASE_OUTPUT_TARGET_H
#define KFLAME_BASE_OUTPUT_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/**
 * enum target_use - what happens to an existing file
 * @TARGET_REPLACE:	a new file replaces it, also if a link leads to it
 * @TARGET_KEEP:	the file, or the link to it, gets another name
 */
enum target_use {
	TARGET_REPLACE,
	TARGET_KEEP,
};

/**
 * struct target - a name in a directory, and the file that has the name
 * @dir:	descriptor of the directory; -1: none
 * @name:	name in the directory
 * @is_there:	a file has the name; @st describes it
 * @st:		owner and mode of the file
 * @fd:		descriptor of a device or a pipe, which is written directly; -1 for files
 * @refused:	why the target is refused: the rest of a sentence that begins with the path; NULL: it is not
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
 * target_find() - find a target and check that it is safe to write to
 * @t:		out; the caller must call target_exit() in any case
 * @path:	path of the target
 * @named:	the user named this path.  Else it is the default of a command, which must not be a device or
 *		a pipe
 * @use:	what happens to an existing file
 *
 * Return: 0 or -errno; -EPERM with .refused if the target is refused.
 */
int target_find(struct target *t, const char *path, bool named, enum target_use use);

/** target_complain() - if a target is refused, say why.  Return: whether it is refused */
bool target_complain(const struct target *t, const char *path);

void target_exit(struct target *t);

#endif
