// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spawn - start processes one after the other, and say how long each lived
 *
 * usage: spawn COUNT MILLISECONDS COMMAND [ARGUMENT...]
 *
 * Goes on until COUNT of them have lived for less than MILLISECONDS, for an
 * emulated machine stalls now and then; gives up after twice as many.  Each is
 * vforked, so it is born with the exec.  Prints one line a process: pid and life
 * in nanoseconds, from before the fork to after it was reaped.
 */
#include "work.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

/* Returns how long one process lived, in nanoseconds; exits on failure. */
static uint64_t run_one(char **argv)
{
	uint64_t start = work_clock(CLOCK_MONOTONIC), life;
	int status, error;
	pid_t pid;

	error = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
	if (error) {
		fprintf(stderr, "spawn: %s: %s\n", argv[0], strerror(error));
		exit(1);
	}
	if (waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "spawn: %s failed\n", argv[0]);
		exit(1);
	}
	life = work_clock(CLOCK_MONOTONIC) - start;
	printf("%d %llu\n", (int)pid, (unsigned long long)life);
	return life;
}

int main(int argc, char **argv)
{
	unsigned long count, runs, good = 0;
	uint64_t limit;

	if (argc < 4) {
		fprintf(stderr, "usage: spawn COUNT MILLISECONDS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	count = work_number(argv[1], "COUNT");
	limit = work_number(argv[2], "MILLISECONDS") * 1000000ULL;
	for (runs = 0; good < count; runs++) {
		if (runs >= 2 * count) {
			fprintf(stderr, "spawn: only %lu of %lu lived under %s ms\n",
				good, runs, argv[2]);
			return 1;
		}
		good += run_one(argv + 3) < limit;
	}
	return 0;
}
