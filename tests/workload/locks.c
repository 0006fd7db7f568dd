// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks - threads that wait for a lock whose holder is known; without frame pointers
 *
 * usage: locks inversion MS COUNT	COUNT times: a priority inversion of MS milliseconds
 *	  locks convoy NR MS COUNT	NR threads compute COUNT times for MS milliseconds under one lock
 *	  locks descriptors NR MS COUNT	NR threads copy a descriptor and close it, COUNT times for MS milliseconds
 *
 * In the inversion, three real-time threads share one CPU. "low" has the lock, and "high" waits for it. "middle"
 * does not need the lock, but computes for MS milliseconds, and keeps the CPU from "low".
 *
 * All threads of a process have one table of descriptors, whose spinlock the kernel takes with interrupts on.
 *
 * Prints the nanoseconds in which threads waited for the lock, and those that were computed meanwhile.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "waiting.h"
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long waited, computed;
static long length;
static unsigned int count;

/* Threads call each other by pipes: so the only lock is the one above. */
struct call {
	int fd[2];
};

static struct call to_low, to_middle, to_high, to_main;

static void wait_call(const struct call *c)
{
	char byte;

	if (read(c->fd[0], &byte, 1) != 1)
		err(1, "read");
}

static void call(const struct call *c)
{
	if (write(c->fd[1], "x", 1) != 1)
		err(1, "write");
}

static void start(void *(*run)(void *), int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (priority) {
		pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		pthread_attr_setschedparam(&attr, &param);
	}
	errno = pthread_create(&thread, &attr, run, NULL);
	if (errno)
		err(1, "thread");
}

/* ------------------------------------------------------------ priority inversion */

WORK_FUNCTION static void hold_lock(void)
{
	pthread_mutex_lock(&lock);
	call(&to_high);
	pthread_mutex_unlock(&lock);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void need_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	WORK_KEEP_FRAME();
}

static void *low(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "low");
	for (;;) {
		wait_call(&to_low);
		hold_lock();
	}
	return NULL;
}

static void *middle(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "middle");
	for (;;) {
		wait_call(&to_middle);
		compute(length);
		computed += length;
	}
	return NULL;
}

static void *high(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "high");
	for (unsigned int i = 0; i < count; i++) {
		call(&to_low);
		wait_call(&to_high);
		call(&to_middle);
		waited += without_cpu(need_lock);
		/* Real-time threads may take 95% of a second. */
		sleep_ns(length);
	}
	call(&to_main);
	return NULL;
}

static void inversion(void)
{
	cpu_set_t one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(one), &one))
		err(1, "sched_getaffinity");
	while (!CPU_ISSET(cpu, &one))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(1, "sched_setaffinity");
	start(low, 10);
	start(middle, 20);
	start(high, 30);
	wait_call(&to_main);
}

/* ------------------------------------------------------------ convoy */

WORK_FUNCTION static void take_turn(void)
{
	pthread_mutex_lock(&lock);
	WORK_KEEP_FRAME();
}

static void *member(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "convoy");
	for (unsigned int i = 0; i < count; i++) {
		waited += without_cpu(take_turn);
		compute(length);
		computed += length;
		pthread_mutex_unlock(&lock);
		sleep_ns(length / 2);
	}
	call(&to_main);
	return NULL;
}

static void convoy(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		start(member, 0);
	for (unsigned int i = 0; i < nr; i++)
		wait_call(&to_main);
}

/* ------------------------------------------------------------ descriptors */

static void *copier(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "copier");
	for (unsigned int i = 0; i < count; i++)
		for (const long end = now(CLOCK_MONOTONIC) + length; now(CLOCK_MONOTONIC) < end; )
			close(dup(to_main.fd[0]));
	call(&to_main);
	return NULL;
}

static void descriptors(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		start(copier, 0);
	for (unsigned int i = 0; i < nr; i++)
		wait_call(&to_main);
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	if (pipe(to_low.fd) || pipe(to_middle.fd) || pipe(to_high.fd) || pipe(to_main.fd))
		err(1, "pipe");
	length = argc > 3 ? atol(argv[argc - 2]) * MS : 0;
	count = argc > 3 ? (unsigned int)atol(argv[argc - 1]) : 0;
	if (!strcmp(what, "inversion") && argc == 4) {
		inversion();
	} else if (!strcmp(what, "convoy") && argc == 5) {
		convoy((unsigned int)atol(argv[2]));
	} else if (!strcmp(what, "descriptors") && argc == 5) {
		descriptors((unsigned int)atol(argv[2]));
	} else {
		fprintf(stderr, "usage: locks inversion MS COUNT | convoy NR MS COUNT | descriptors NR MS COUNT\n");
		return 2;
	}
	printf("%ld %ld\n", atomic_load(&waited), atomic_load(&computed));
	return 0;
}
