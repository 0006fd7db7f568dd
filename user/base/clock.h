/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - times as 64-bit nanoseconds
 */
#ifndef KFLAME_BASE_CLOCK_H
#define KFLAME_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S	1000000000ull

/** clock_ns() - Return: the time of clock @id in ns; errors are ignored, so every Linux must have it */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/** now_ns() - Return: ns since a fixed moment in the past; this clock never goes back */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
