// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_mount.c - where this machine has its control groups (cgroup v2)
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cgroup_mount.h"
#include "message.h"

/* A path in /proc/self/mountinfo: blanks and the like are \ooo */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

/* "30 23 0:26 / /sys/fs/cgroup rw,... shared:4 - cgroup2 cgroup2 rw": the fifth word */
static char *mounted_at(char *line)
{
	char *type = strstr(line, " - cgroup2 "), *word = line, *save = NULL;

	if (!type)
		return NULL;
	*type = 0;
	word = strtok_r(line, " ", &save);
	for (int i = 0; i < 4 && word; i++)
		word = strtok_r(NULL, " ", &save);
	if (word)
		unescape(word);
	return word;
}

int cgroup_mount_open(char **at)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *path;
	size_t cap = 0;
	int fd = -1;

	*at = NULL;
	while (in && fd < 0 && getline(&line, &cap, in) > 0) {
		path = mounted_at(line);
		if (!path)
			continue;
		*at = strdup(path);
		fd = *at ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd < 0) {
			free(*at);
			*at = NULL;
		}
	}
	free(line);
	if (in)
		fclose(in);
	return fd;
}

static bool is_cgroup(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Below @dir, or where @dir says nothing.  Return: a descriptor; -1 */
static int open_directory(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || is_cgroup(fd))
		return fd;
	close(fd);
	return -1;
}

/* @at: as of cgroup_mount_open().  Return: a descriptor; -1 */
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
