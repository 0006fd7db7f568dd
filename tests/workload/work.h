/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - what the workloads share: clocks, and work the compiler keeps
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A function that must stay itself: not inlined, cloned or turned into a jump */
#define WORK_FUNCTION __attribute__((noinline, noclone, noipa))

/* Keeps a call from being the last thing its function does (a tail call) */
#define WORK_KEEP_FRAME() __asm__ volatile("" ::: "memory")

/* The clock @id in nanoseconds. */
static inline uint64_t work_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Spin for so much CPU time of this process; part of the function that calls it. */
static inline __attribute__((always_inline)) void work_cpu(volatile uint64_t *sink, uint64_t ns)
{
	uint64_t until = work_clock(CLOCK_PROCESS_CPUTIME_ID) + ns, x = 1;
	unsigned int i;

	while (work_clock(CLOCK_PROCESS_CPUTIME_ID) < until)
		for (i = 0; i < 2000; i++)
			x = x * 6364136223846793005ULL + 1;
	*sink = x;
}

/* The decimal number @text, or an exit that names @what. */
static inline unsigned long work_number(const char *text, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end) {
		fprintf(stderr, "%s: not a number: %s\n", what, text);
		exit(2);
	}
	return value;
}

#endif
