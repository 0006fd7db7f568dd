// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forks - children that begin no program, each of a few milliseconds, as a shell has them
 *
 * What they run, the parent runs too, so that its record of calls is theirs.
 *
 * usage: forks SECONDS	(of its own and its children's CPU time; at least one round)
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chains.h"

#define CHILDREN	20

static volatile uint64_t sink;

uint64_t child_leaf(uint64_t x);
uint64_t child_middle(uint64_t x);
uint64_t child_work(uint64_t x);
uint64_t fork_one(uint64_t x);
uint64_t fork_many(uint64_t x);
int enough(double seconds);
double seconds_of(int argc, char **argv);

OWN uint64_t child_leaf(uint64_t x)
{
	return spin(x, 20000);
}

//> child_middle -> child_leaf
OWN uint64_t child_middle(uint64_t x)
{
	volatile uint64_t block[200];

	block[x % 200] = child_leaf(x);
	return child_leaf(block[x % 200]) + block[x % 200];
}

//> child_work -> child_middle
OWN uint64_t child_work(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += child_middle(x + i);
	return x;
}

//> fork_one -> child_work
//> fork_one uses
OWN uint64_t fork_one(uint64_t x)
{
	pid_t child = fork();

	if (child < 0) {
		perror("forks");
		exit(1);
	}
	x = child_work(x);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return x;
}

//> fork_many -> fork_one
OWN uint64_t fork_many(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < CHILDREN; i++)
		x += fork_one(x);
	return x;
}

//> enough uses
OWN int enough(double seconds)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(own.ru_utime.tv_sec + children.ru_utime.tv_sec) +
	       (double)(own.ru_utime.tv_usec + children.ru_utime.tv_usec) / 1e6 >= seconds;
}

//> seconds_of uses
OWN double seconds_of(int argc, char **argv)
{
	/* Not as its last act: that would be a jump, and main() its caller */
	volatile double seconds = argc == 2 ? atof(argv[1]) : 0;

	return seconds;
}

//> @ -> main
//> main -> seconds_of
//> main -> fork_many
//> main -> enough
int main(int argc, char **argv)
{
	double seconds = seconds_of(argc, argv);
	uint64_t x = (uint64_t)argc;

	do
		x = fork_many(x);
	while (!enough(seconds));
	sink = x;
	record_print();
	return 0;
}
