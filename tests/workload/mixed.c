// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mixed - a bit of everything, for the demo
 *
 * usage: mixed SECONDS
 *
 * Two processes.  One computes with known shares (compress 70, encrypt 20 and
 * checksum 10 parts of its time).  The other turns between system calls, file
 * reads, and short-lived processes (mixed-child, which lies beside this program).
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile uint64_t sink;

/* The same steps in each, so that the loops' lengths are the shares. */
#define COMPUTE(name, loops)						\
	WORK_FUNCTION static void name(void)				\
	{								\
		uint64_t x = sink;					\
		unsigned int i;						\
									\
		for (i = 0; i < (loops); i++)				\
			x = (x ^ (x >> 7)) * 6364136223846793005ULL + 1;\
		sink = x;						\
	}

COMPUTE(compress, 700000)
COMPUTE(encrypt, 200000)
COMPUTE(checksum, 100000)

WORK_FUNCTION static void compute(uint64_t until)
{
	while (work_clock(CLOCK_MONOTONIC) < until) {
		compress();
		encrypt();
		checksum();
	}
}

WORK_FUNCTION static void read_file(const char *path)
{
	static char buffer[1 << 14];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "mixed: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
}

WORK_FUNCTION static void system_calls(void)
{
	struct stat st;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		stat("/proc/self/status", &st);
		if (getppid() < 0 || access("/nowhere", R_OK) == 0)
			exit(1);
	}
}

WORK_FUNCTION static void run_child(const char *path)
{
	char *const argv[] = { (char *)path, (char *)"1500", NULL };
	pid_t pid;

	if (posix_spawn(&pid, path, NULL, NULL, argv, environ) ||
	    waitpid(pid, NULL, 0) < 0) {
		fprintf(stderr, "mixed: cannot run %s\n", path);
		exit(1);
	}
}

WORK_FUNCTION static void serve(uint64_t until, const char *child)
{
	while (work_clock(CLOCK_MONOTONIC) < until) {
		system_calls();
		read_file("/proc/self/maps");
		read_file("/proc/self/exe");
		run_child(child);
	}
}

int main(int argc, char **argv)
{
	uint64_t until;
	char child[4096];
	int status;
	pid_t pid;

	if (argc != 2) {
		fprintf(stderr, "usage: mixed SECONDS\n");
		return 2;
	}
	until = work_clock(CLOCK_MONOTONIC) + work_number(argv[1], "SECONDS") * 1000000000ULL;
	if ((size_t)snprintf(child, sizeof(child), "%s/mixed-child", dirname(argv[0])) >=
	    sizeof(child)) {
		fprintf(stderr, "mixed: too long a path: %s\n", argv[0]);
		return 2;
	}
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "mixed: fork: %s\n", strerror(errno));
		return 1;
	}
	if (!pid) {
		compute(until);
		return 0;
	}
	serve(until, child);
	if (waitpid(pid, &status, 0) < 0 || status)
		return 1;
	return 0;
}
