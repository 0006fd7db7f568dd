// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slurp.c - root_slurp() without zlib: the target's zcat unpacks /proc/config.gz
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chroot_open.h"

#define FIRST_BYTES	(64u << 10)

/* Read to the end.  Return: 0 or a negative errno.  The caller must free *text in both cases. */
static int read_all(int fd, size_t max, char **text, size_t *len)
{
	size_t cap = FIRST_BYTES;

	*len = 0;
	*text = malloc(cap + 1);
	while (*text) {
		ssize_t n = read(fd, *text + *len, cap - *len);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
		(*text)[*len] = 0;
		if (*len > max)
			return -EFBIG;
		if (!n)
			return 0;
		if (*len < cap)
			continue;
		more = realloc(*text, 2 * cap + 1);
		if (!more)
			return -ENOMEM;
		*text = more;
		cap *= 2;
	}
	return -ENOMEM;
}

/* Replaces @fd by what zcat prints of it.  Return: zcat's process; a negative errno */
static pid_t unpack(int *fd)
{
	int ends[2];
	pid_t child;

	if (lseek(*fd, 0, SEEK_SET) || pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		if (dup2(*fd, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
			execlp("zcat", "zcat", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return -ENOMEM;
	}
	close(*fd);
	*fd = ends[0];
	return child;
}

/* Return: 0; -EIO if it failed */
static int reap(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

int root_slurp(const char *root, const char *path, size_t max, char **text)
{
	int fd = root_open_file(root, path), err;
	size_t len;

	*text = NULL;
	if (fd < 0)
		return fd;
	err = read_all(fd, max, text, &len);
	if (!err && len > 2 && !memcmp(*text, "\x1f\x8b", 2)) {
		const pid_t child = unpack(&fd);

		free(*text);
		*text = NULL;
		err = child < 0 ? child : read_all(fd, max, text, &len);
		close(fd);
		fd = -1;
		if (child > 0) {
			const int failed = reap(child);

			err = err ? err : failed;
		}
	}
	if (fd >= 0)
		close(fd);
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
