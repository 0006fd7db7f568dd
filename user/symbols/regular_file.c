// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regular_file.c - opens regular files, and nothing else, by paths that somebody told
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "root.h"
#include "symbols/regular_file.h"

/* File systems whose regular files are none */
static bool is_made_up(int fd)
{
	static const unsigned long kinds[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC,
		EFIVARFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)fs.f_type == kinds[i])
			return true;
	return false;
}

/*
 * Opens for reading what @place, of O_PATH, is at; nobody can put something else there
 * in between.  Takes over @place.
 */
static int reopen(int place, struct stat *st)
{
	char path[40];
	int fd = -1;

	if (fstat(place, st) || !S_ISREG(st->st_mode) || is_made_up(place)) {
		errno = S_ISDIR(st->st_mode) ? EISDIR : ENOENT;
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(place);
	return fd;
}

int regular_file_open(const char *path, struct stat *st)
{
	int place = open(path, O_PATH | O_CLOEXEC);

	return place < 0 ? -1 : reopen(place, st);
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

int regular_file_open_inside(const char *root, const char *path, struct stat *st)
{
	int place = root_open(root, path, O_PATH | O_NOFOLLOW);

	if (place >= 0)
		return reopen(place, st);
	errno = -place;
	return -1;
}
