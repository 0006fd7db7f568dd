// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs.c - where tracefs is mounted
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "catalog/tracefs.h"

#define MAX_MOUNTS	(16u << 20)

/* Return: 0 if @dir has events; else a negative errno */
static int try_dir(const char *root, const char *dir)
{
	char events[1024];
	int fd;

	if ((size_t)snprintf(events, sizeof(events), "%s/events", dir) >= sizeof(events))
		return -ENAMETOOLONG;
	fd = root_open(root, events, O_DIRECTORY);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Replace "\040" by the character that it stands for, as /proc/mounts writes blanks */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int c;

		if (*text == '\\' && sscanf(text + 1, "%3o", &c) == 1 && strspn(text + 1, "01234567") >= 3) {
			*to++ = (char)c;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

/* Take a directory, unless an earlier one has events, or could not be read. Return: whether it has events */
static bool take(const char *root, const char *dir, char *path, size_t size, int *err)
{
	const int this_one = try_dir(root, dir);

	if (this_one && (this_one == -ENOENT || this_one == -ENOTDIR || *err != -ENOENT))
		return false;
	*err = this_one;
	snprintf(path, size, "%s", dir);
	return !this_one;
}

/* Lines of /proc/mounts are "tracefs /somewhere tracefs rw 0 0" */
static void look_through_mounts(const char *root, char *mounts, char *path, size_t size, int *err)
{
	char *line, *rest = mounts;

	while ((line = strsep(&rest, "\n"))) {
		char *save, *dir, *type;

		strtok_r(line, " ", &save);
		dir = strtok_r(NULL, " ", &save);
		type = strtok_r(NULL, " ", &save);
		if (!type || strcmp(type, "tracefs"))
			continue;
		unescape(dir);
		if (take(root, dir, path, size, err))
			return;
	}
}

int tracefs_find(const char *root, char *path, size_t size)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int err = -ENOENT;
	char *mounts;

	path[0] = 0;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (take(root, usual[i], path, size, &err))
			return 0;
	if (!root_slurp(root, "/proc/mounts", MAX_MOUNTS, &mounts))
		look_through_mounts(root, mounts, path, size, &err);
	free(mounts);
	return err;
}

int tracefs_has_event(const char *system_name)
{
	const size_t system = strcspn(system_name, ":");
	char tracefs[PATH_MAX], *path = NULL;
	int err = tracefs_find("/", tracefs, sizeof(tracefs));

	if (err)
		return err;
	if (!system_name[system])
		return 0;
	if (asprintf(&path, "%s/events/%.*s/%s", tracefs, (int)system, system_name, system_name + system + 1) < 0)
		return -ENOMEM;
	err = access(path, F_OK) ? 0 : 1;
	free(path);
	return err;
}
