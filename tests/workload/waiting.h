/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waiting.h - what workloads that wait share: how long a thread had no CPU, by its own clocks
 */
#ifndef WAITING_H
#define WAITING_H

#include <time.h>

#define MS 1000000L

static inline long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static inline void sleep_ns(long ns)
{
	const struct timespec t = { ns / 1000000000L, ns % 1000000000L };

	nanosleep(&t, NULL);
}

/* Both clocks at one moment: this thread did not lose its CPU in between. Return: the time */
static inline long both_clocks(long *computed)
{
	long before, after;

	do {
		before = now(CLOCK_MONOTONIC);
		*computed = now(CLOCK_THREAD_CPUTIME_ID);
		after = now(CLOCK_MONOTONIC);
	} while (after - before > MS / 2);
	return before;
}

/* Return: nanoseconds of @wait in which this thread had no CPU */
static inline long without_cpu(void (*wait)(void))
{
	long before, after, begin, end;

	begin = both_clocks(&before);
	wait();
	end = both_clocks(&after);
	return end - begin - (after - before);
}

static inline void compute(long ns)
{
	const long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

#endif
