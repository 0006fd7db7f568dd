// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls - reads, sleeps or forks so many times
 *
 * usage: calls reads|blocks|forks|sizes|sleeps|polls COUNT
 *
 * reads: a byte of /dev/zero at a time; blocks: a MiB. sizes: blocks of different sizes, with reads that fail and
 * reads of nothing between them; prints "bytes" and "reads", and how many. sleeps: 200 ms; prints "ns" and how
 * many passed in these calls. polls: waits for an epoll descriptor that holds another one, and so on.
 *
 * The calls are made by read_many(), fork_many() and so on, so that their stacks show it.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char block[1 << 20];

static int open_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(name);
	return fd;
}

WORK_FUNCTION static void read_many(size_t size, unsigned long count)
{
	const int fd = open_file("/dev/zero");

	while (count--)
		if (read(fd, block, size) != (ssize_t)size)
			fail("/dev/zero");
	WORK_KEEP_FRAME();
}

/* The directory fails with EISDIR, and /dev/null has nothing to read. */
WORK_FUNCTION static void read_sizes(unsigned long count)
{
	const int zero = open_file("/dev/zero"), directory = open_file("/"), null = open_file("/dev/null");
	unsigned long bytes = 0;

	for (unsigned long i = 1; i <= count; i++) {
		const size_t size = i * 37 % 5000 + 1;

		if (read(zero, block, size) != (ssize_t)size)
			fail("/dev/zero");
		bytes += size;
		if (read(directory, block, size) != -1 || errno != EISDIR || read(null, block, size))
			fail("reads of nothing");
	}
	printf("bytes %lu\nreads %lu\n", bytes, count);
	WORK_KEEP_FRAME();
}

static unsigned long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000000 + (unsigned long)t.tv_nsec;
}

WORK_FUNCTION static void sleep_many(unsigned long count)
{
	const struct timespec length = { .tv_nsec = 200000000 };
	unsigned long all = 0;

	while (count--) {
		const unsigned long begin = now();

		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL))
			fail("clock_nanosleep");
		all += now() - begin;
	}
	printf("ns %lu\n", all);
	WORK_KEEP_FRAME();
}

/* The kernel asks each descriptor, from the outermost to the pipe, so it calls one function recursively. */
WORK_FUNCTION static void poll_many(unsigned long count)
{
	struct epoll_event event = { .events = EPOLLIN };
	int pipes[2], inner;

	if (pipe(pipes) || write(pipes[1], "x", 1) != 1)
		fail("pipe");
	inner = pipes[0];
	for (int depth = 0; depth < 4; depth++) {
		const int outer = epoll_create1(EPOLL_CLOEXEC);

		if (outer < 0 || epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event))
			fail("epoll_ctl");
		inner = outer;
	}
	while (count--)
		if (epoll_wait(inner, &event, 1, -1) != 1)
			fail("epoll_wait");
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

	if (argc != 3) {
		fprintf(stderr, "usage: calls reads|blocks|forks|sizes|sleeps|polls COUNT\n");
		return 2;
	}
	count = work_number(argv[2], "COUNT");
	if (!strcmp(argv[1], "reads"))
		read_many(1, count);
	else if (!strcmp(argv[1], "blocks"))
		read_many(sizeof(block), count);
	else if (!strcmp(argv[1], "forks"))
		fork_many(count);
	else if (!strcmp(argv[1], "sizes"))
		read_sizes(count);
	else if (!strcmp(argv[1], "sleeps"))
		sleep_many(count);
	else if (!strcmp(argv[1], "polls"))
		poll_many(count);
	else
		return 2;
	return 0;
}
