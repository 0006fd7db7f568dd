// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_mount.c - finds control groups (cgroup v2) in the file system of this machine
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/message.h"
#include "record/cgroup_mount.h"

int cgroup_mount_open(char **at)
{
	FILE *in = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	int fd = -1;

	*at = NULL;
	while (in && fd < 0 && (m = getmntent(in))) {
		if (strcmp(m->mnt_type, "cgroup2"))
			continue;
		*at = strdup(m->mnt_dir);
		fd = *at ? open(*at, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd < 0) {
			free(*at);
			*at = NULL;
		}
	}
	if (in)
		endmntent(in);
	return fd;
}

static bool is_cgroup(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* @path is relative to @dir, unless it is absolute.  Return: a descriptor; -1 */
static int open_directory(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || is_cgroup(fd))
		return fd;
	close(fd);
	return -1;
}

/* @at: as in cgroup_mount_open().  Return: a descriptor; -1 */
static int find(const char *name, char **at)
{
	const char *below = name + strspn(name, "/");
	int mount = cgroup_mount_open(at), fd;

	if (mount < 0)
		return -1;
	fd = open_directory(mount, *below ? below : ".");
	if (fd < 0 && *name == '/')
		fd = open_directory(AT_FDCWD, name);
	close(mount);
	return fd;
}

int cgroup_find(const char *name)
{
	char *at;
	int fd = find(name, &at);

	free(at);
	return fd;
}

int cgroup_open(const char *name)
{
	char *at;
	int fd = find(name, &at);

	if (!at)
		complain("control groups (cgroup v2) are mounted nowhere: mount -t cgroup2 cgroup2 /sys/fs/cgroup, or leave --cgroup away");
	else if (fd < 0)
		complain("there is no control group '%s' below %s: see 'systemd-cgls', or /proc/PID/cgroup of a process in it",
			 name, at);
	free(at);
	return fd;
}
