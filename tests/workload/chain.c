// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain - main > top > mid > leaf, all the time in leaf, which has no frame
 *
 * usage: chain SECONDS
 *
 * gcc -O2 -fno-omit-frame-pointer gives leaf no frame all the same, so a plain
 * frame-pointer walk from there finds top next and loses mid.
 */
#include "work.h"

static volatile uint64_t sink;

WORK_FUNCTION static uint64_t leaf(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 200000; i++)
		x = (x >> 3) * 0x9e3779b97f4a7c15ULL + i;
	return x;
}

WORK_FUNCTION static uint64_t mid(uint64_t x)
{
	x = leaf(x + 1);
	WORK_KEEP_FRAME();
	return x + 1;
}

WORK_FUNCTION static uint64_t top(uint64_t x)
{
	x = mid(x + 1);
	WORK_KEEP_FRAME();
	return x + 1;
}

int main(int argc, char **argv)
{
	uint64_t begin = work_clock(CLOCK_MONOTONIC), limit, x = 1;

	if (argc != 2) {
		fprintf(stderr, "usage: chain SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	while (work_clock(CLOCK_MONOTONIC) - begin < limit)
		x = top(x);
	sink = x;
	return 0;
}
