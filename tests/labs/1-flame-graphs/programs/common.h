/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common.h - for the six programs of lab 1: functions that stay functions */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define FUNCTION __attribute__((noipa))
/* gcc gives a function that needs no stack no frame record, whatever -fno-omit-frame-pointer says. With this, it has one. */
#define FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
#define SECONDS 2

static volatile uint64_t sink;

/* CPU time: as many samples on a busy machine */
static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}
