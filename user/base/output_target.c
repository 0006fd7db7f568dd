// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output_target.c - find where an output goes, see output_target.h
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/output_target.h"

static bool is_ours(uid_t owner)
{
	return !owner || owner == geteuid();
}

/* Reopen the file behind an O_PATH descriptor.  Return: a descriptor or -errno */
static int reopen(int at, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Split @path into .dir and .name.  Return: 0 or -errno */
static int split(struct target *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *dir = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");

	if (!dir)
		return -ENOMEM;
	if (t->dir >= 0)
		close(t->dir);
	t->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (t->dir < 0)
		return -errno;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return *path ? -EISDIR : -ENOENT;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(t->name, name);
	return 0;
}

/* A symbolic link led to the file that is open at @at: find the directory and the name of that file */
static int find_again(struct target *t, int at)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t len;
	int err;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return -errno;
	path[len] = 0;
	err = split(t, path);
	if (err)
		return err;
	if (fstatat(t->dir, t->name, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != t->st.st_dev ||
	    st.st_ino != t->st.st_ino) {
		t->refused = "leads to a file that is being moved";
		return -EPERM;
	}
	return 0;
}

static int refuse(struct target *t, const char *why)
{
	t->refused = why;
	return -EPERM;
}

/*
 * The rule of fs.protected_regular, applied whatever that sysctl is set to.  In a directory that only its
 * owner may write to, the owner could have put the file there in any case.
 */
static bool is_planted(const struct target *t)
{
	struct stat dir;

	if (is_ours(t->st.st_uid) || fstat(t->dir, &dir))
		return false;
	return dir.st_mode & S_ISVTX && dir.st_mode & (S_IWGRP | S_IWOTH) && t->st.st_uid != dir.st_uid;
}

/* Open a target that is neither a regular file nor a link */
static int open_other(struct target *t, int at, bool named)
{
	if (S_ISDIR(t->st.st_mode))
		return -EISDIR;
	if (!named)
		return refuse(t, "is no regular file");
	if (!is_ours(t->st.st_uid))
		return refuse(t, "is a pipe or a device of somebody else's");
	/* Without O_NONBLOCK, open() would wait for a reader of the pipe, and no signal would end the wait */
	t->fd = reopen(at, O_WRONLY | O_NONBLOCK);
	if (t->fd < 0)
		return t->fd;
	return fcntl(t->fd, F_SETFL, 0) ? -errno : 0;
}

/*
 * Follow a symbolic link.  @at: descriptor of the name itself.  Return: @at if the name is no link; a
 * descriptor of the file that the link leads to; or -errno
 */
static int follow(struct target *t, int at)
{
	int fd;

	if (!S_ISLNK(t->st.st_mode))
		return at;
	close(at);
	if (!is_ours(t->st.st_uid))
		return refuse(t, "is a link that somebody else made");
	fd = openat(t->dir, t->name, O_PATH | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &t->st)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -errno : fd;
}

int target_find(struct target *t, const char *path, bool named, enum target_use use)
{
	int err, at, first;
	bool is_link;

	*t = (struct target){ .dir = -1, .fd = -1 };
	err = split(t, path);
	if (err)
		return err;
	first = openat(t->dir, t->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (first < 0)
		return errno == ENOENT ? 0 : -errno;
	t->is_there = true;
	if (fstat(first, &t->st)) {
		err = -errno;
		close(first);
		return err;
	}
	is_link = S_ISLNK(t->st.st_mode);
	at = follow(t, first);
	if (at == -ENOENT)	/* the link leads nowhere */
		return 0;
	if (at < 0)
		return at;
	if (!S_ISREG(t->st.st_mode))
		err = open_other(t, at, named);
	else if (is_link && use == TARGET_REPLACE)
		err = find_again(t, at);
	close(at);
	if (!err && S_ISREG(t->st.st_mode) && !(is_link && use == TARGET_KEEP) && is_planted(t))
		err = refuse(t, "was put there by somebody else, in a directory that others may write to");
	return err;
}

bool target_complain(const struct target *t, const char *path)
{
	if (t->refused)
		complain("%s %s, so nothing is written there: name another file with -o", path, t->refused);
	return t->refused;
}

void target_exit(struct target *t)
{
	if (t->dir >= 0)
		close(t->dir);
	if (t->fd >= 0)
		close(t->fd);
	t->dir = t->fd = -1;
}
