// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * root_walk.c - follow a path below a directory that stands for /, one component after the other
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/root_walk.h"

#define DEPTH		64	/* directories on the way; more are -ENAMETOOLONG */
#define MOST_LINKS	40	/* as in the kernel */

struct walk {
	int dirs[DEPTH];	/* [0] is the root */
	unsigned int depth;	/* index of the current directory */
	unsigned int links;
	char rest[2 * PATH_MAX];	/* what is left of the path */
};

static int current(const struct walk *w)
{
	return w->dirs[w->depth];
}

static void leave(struct walk *w, unsigned int depth)
{
	while (w->depth > depth)
		close(w->dirs[w->depth--]);
}

/* Cut the next component off the rest.  Return: whether there is one */
static bool next(struct walk *w, char *name)
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (!len || len > NAME_MAX) {
		name[0] = 0;
		return len;
	}
	memcpy(name, from, len);
	name[len] = 0;
	memmove(w->rest, from + len, strlen(from + len) + 1);
	return true;
}

/* Go on with the target of the symbolic link @fd.  Return: 0 or a negative errno */
static int follow(struct walk *w, int fd)
{
	char target[PATH_MAX + 1], rest[sizeof(w->rest)];
	ssize_t len = readlinkat(fd, "", target, PATH_MAX);

	if (len < 0)
		return -errno;
	if (++w->links > MOST_LINKS)
		return -ELOOP;
	target[len] = 0;
	if ((size_t)snprintf(rest, sizeof(rest), "%s%s", target, w->rest) >= sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, rest);
	if (target[0] == '/')
		leave(w, 0);
	return 0;
}

static int reopen(const struct walk *w, const char *name, int flags)
{
	int fd = openat(current(w), name, flags | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Go into the directory @fd.  Return: 0 or a negative errno; then the caller keeps @fd */
static int enter(struct walk *w, int fd)
{
	if (w->depth + 1 == DEPTH)
		return -ENAMETOOLONG;
	w->dirs[++w->depth] = fd;
	return 0;
}

/* Take one step.  Return: 0; a negative errno; or 1, and *out is the file that the path leads to */
static int step(struct walk *w, const char *name, int flags, int *out)
{
	int fd = openat(current(w), name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	bool last = !w->rest[0];
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && S_ISDIR(st.st_mode)) {
		err = enter(w, fd);
		if (!err)
			return 0;
	} else if (!err && S_ISLNK(st.st_mode) && !(last && flags & O_NOFOLLOW)) {
		err = follow(w, fd);
	} else if (!err && last) {
		*out = reopen(w, name, flags);
		err = *out < 0 ? *out : 1;
	} else if (!err) {
		err = -ENOTDIR;
	}
	close(fd);
	return err;
}

static int walk(struct walk *w, int flags)
{
	char name[NAME_MAX + 1];
	int err = 0, fd = -1;

	while (!err && next(w, name)) {
		if (!name[0])
			err = -ENAMETOOLONG;
		else if (!strcmp(name, ".."))
			leave(w, w->depth ? w->depth - 1 : 0);
		else if (strcmp(name, "."))
			err = step(w, name, flags, &fd);
	}
	if (err)
		return err < 0 ? err : fd;
	return reopen(w, ".", flags);
}

int root_walk(const char *root, const char *path, int flags)
{
	struct walk w;
	int fd;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	w.depth = w.links = 0;
	w.dirs[0] = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.dirs[0] < 0)
		return -errno;
	fd = walk(&w, flags);
	leave(&w, 0);
	close(w.dirs[0]);
	return fd;
}
