// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * input.c - open input files, named by the user or by default
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"

/* Wait until the pipe has a writer.  Without a writer, a read would report the end of the pipe. */
static int wait_for_writer(int fd)
{
	struct pollfd pipe = { .fd = fd, .events = POLLIN };

	while (poll(&pipe, 1, -1) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Return: 0, -errno */
static int check(int fd, bool named)
{
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (!named && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (S_ISFIFO(st.st_mode))
		err = wait_for_writer(fd);
	if (!err && fcntl(fd, F_SETFL, 0))
		err = -errno;
	return err;
}

int input_open(const char *path, const char *by_default)
{
	/* O_NONBLOCK: do not wait in open(2).  O_NOCTTY: do not acquire a controlling terminal. */
	int fd = open(path ? path : by_default, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check(fd, path);
	if (!err)
		return fd;
	close(fd);
	return err;
}

FILE *input_stream(const char *path)
{
	int fd = input_open(path, NULL);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		errno = -fd;
	else if (!in)
		close(fd);
	return in;
}
