// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chroot_open.c - open files below a directory that stands for /
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#include "base/chroot_open.h"
#include "base/root_walk.h"

#define TRIES	16

/* Return: as open(2); -1 with ENOSYS if the kernel cannot keep symbolic links inside @root */
static int open_inside(const char *root, const char *path, int flags)
{
#if defined(RESOLVE_IN_ROOT) && defined(SYS_openat2)
	struct open_how how = { .flags = (unsigned int)flags, .resolve = RESOLVE_IN_ROOT };
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), tries = TRIES, saved;
	long fd;

	if (dir < 0)
		return -1;
	/* EAGAIN: a directory was renamed meanwhile */
	do
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || (errno == EAGAIN && --tries)));
	saved = errno;
	close(dir);
	/* Seccomp filters of containers that do not know openat2() answer EPERM */
	errno = saved == EPERM ? ENOSYS : saved;
	return (int)fd;
#else
	(void)root;
	(void)path;
	(void)flags;
	errno = ENOSYS;
	return -1;
#endif
}

static int open_plain(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int root_open(const char *root, const char *path, int flags)
{
	int fd;

	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	/* openat2() refuses flags that O_PATH ignores */
	if (flags & O_PATH)
		flags &= ~(O_NONBLOCK | O_NOCTTY);
	if (!*root)
		return open_plain(path, flags);
	fd = open_inside(root, path, flags);
	if (fd < 0 && errno == ENOSYS)
		return root_walk(root, path, flags);
	return fd < 0 ? -errno : fd;
}

int root_open_file(const char *root, const char *path)
{
	int fd = root_open(root, path, 0);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

bool root_has(const char *root, const char *path)
{
	int fd = root_open(root, path, O_PATH);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int root_read(const char *root, const char *path, char *text, size_t size)
{
	int fd = root_open_file(root, path), err = 0;
	size_t len = 0;

	text[0] = 0;
	if (fd < 0)
		return fd;
	while (len < size - 1) {
		ssize_t n = read(fd, text + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	if (err)
		len = 0;
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = 0;
	return err ? err : (int)len;
}

bool root_stays_below(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *part = path; *part;) {
		size_t len = strcspn(++part, "/");

		if (len == 2 && part[0] == '.' && part[1] == '.')
			return false;
		part += len;
	}
	return true;
}
