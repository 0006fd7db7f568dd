// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers - stacks that differ from the one before in one return address, and in nothing else
 *
 * usage: callers SECONDS
 *
 * Each of BITS levels is reached from one of two places of the level above, as a bit says: the
 * stack pointer is the same, the frame pointers are, and so is what is at the bottom. The bits are a
 * Gray code: one of them changes each time.
 */
#include "work.h"

#define BITS	16

static volatile uint64_t sink;

WORK_FUNCTION static void level(unsigned int value, unsigned int bits)
{
	unsigned int i;

	if (!bits) {
		for (i = 0; i < 5000; i++)
			sink = i;
	} else if (value >> (bits - 1) & 1) {
		/* lest the two calls become one */
		__asm__ volatile ("# set");
		level(value, bits - 1);
		sink = 1;
	} else {
		__asm__ volatile ("# clear");
		level(value, bits - 1);
		sink = 2;
	}
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t begin = work_clock(CLOCK_MONOTONIC), limit;
	unsigned int i = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: callers SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	do {
		level((i ^ i >> 1) & ((1U << BITS) - 1), BITS);
		i++;
	} while (work_clock(CLOCK_MONOTONIC) - begin < limit);
	return 0;
}
