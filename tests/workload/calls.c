// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls - reads /dev/zero, or forks, so many times
 *
 * usage: calls reads|forks COUNT
 *
 * Each call is made by read_many() or fork_many(), so that its stack shows it.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

WORK_FUNCTION static void read_many(int fd, unsigned long count)
{
	char byte;

	while (count--)
		if (read(fd, &byte, 1) != 1)
			fail("/dev/zero");
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void fork_many(unsigned long count)
{
	int status;
	pid_t pid;

	while (count--) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			fail("fork");
	}
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	unsigned long count;
	int fd;

	if (argc != 3 || (strcmp(argv[1], "reads") && strcmp(argv[1], "forks"))) {
		fprintf(stderr, "usage: calls reads|forks COUNT\n");
		return 2;
	}
	count = work_number(argv[2], "COUNT");
	if (argv[1][0] == 'f') {
		fork_many(count);
		return 0;
	}
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("/dev/zero");
	read_many(fd, count);
	return 0;
}
