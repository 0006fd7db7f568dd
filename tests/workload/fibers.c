// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fibers.c - stacks that do not begin where the program does, or that are hard to leave
 *
 *	fibers context SECONDS	coroutines of makecontext(), whose stacks begin in memory of their own
 *	fibers vfork SECONDS	vfork(), which has its return address in a register meanwhile
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FIBERS	4
#define STACK	65536

static ucontext_t outside, fibers[FIBERS];
static volatile unsigned long sink;
static double until;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void fiber_leaf(void)
{
	for (int i = 0; i < 50000; i++)
		sink += (unsigned long)i;
}

__attribute__((noinline)) static void fiber_work(int i)
{
	fiber_leaf();
	swapcontext(&fibers[i], &outside);
	sink++;
}

static void fiber_main(int i)
{
	while (now() < until)
		fiber_work(i);
}

__attribute__((noinline)) static void make_fiber(int i)
{
	getcontext(&fibers[i]);
	fibers[i].uc_stack.ss_sp = malloc(STACK);
	fibers[i].uc_stack.ss_size = STACK;
	fibers[i].uc_link = &outside;
	if (!fibers[i].uc_stack.ss_sp)
		exit(1);
	makecontext(&fibers[i], (void (*)(void))(unsigned long)fiber_main, 1, i);
}

static void run_fibers(void)
{
	for (int i = 0; i < FIBERS; i++)
		make_fiber(i);
	for (int k = 0; now() < until; k++)
		swapcontext(&outside, &fibers[k % FIBERS]);
}

__attribute__((noinline)) static void spawn_one(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	until = now() + (argc > 2 ? atof(argv[2]) : 0);
	if (argc > 1 && !strcmp(argv[1], "vfork"))
		while (now() < until)
			spawn_one();
	else
		run_fibers();
	return 0;
}
