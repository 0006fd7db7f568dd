// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * factory.c - three lines start short-lived programs; a belt runs all the time
 *
 * usage: factory SEED ROUNDS
 *
 * Do not read it before you have recorded it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const program[3] = { "stamp", "weigh", "label" };
static const char *const line_name[3] = { "north", "south", "east" };
static const char *const microseconds[3] = { "500", "150", "60" };
static const int each_round[3] = { 2, 1, 3 };

static void run(const char *name, const char *us)
{
	char path[16];
	pid_t child = vfork();

	if (!child) {
		snprintf(path, sizeof(path), "./%s", name);
		execl(path, name, us, NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

/* One line starts one kind of program */
static void line(int kind, unsigned int seed, int rounds)
{
	int cost = (kind + seed) % 3;

	prctl(PR_SET_NAME, line_name[(kind + seed / 3) % 3]);
	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < each_round[cost]; k++)
			run(program[kind], microseconds[cost]);
	_exit(0);
}

static void belt(void)
{
	struct timespec begin, now, pause = { .tv_nsec = 3000000 };

	prctl(PR_SET_NAME, "belt");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
		do
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 1000000);
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	unsigned int seed = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 100;
	pid_t lines[3], belts = fork();

	if (!belts)
		belt();
	for (int kind = 0; kind < 3; kind++) {
		lines[kind] = fork();
		if (!lines[kind])
			line(kind, seed, rounds);
	}
	for (int kind = 0; kind < 3; kind++)
		waitpid(lines[kind], NULL, 0);
	kill(belts, SIGKILL);
	waitpid(belts, NULL, 0);
	return 0;
}
