// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * busy - spin in busy_work() for so long; says "ready" once it does
 *
 * usage: busy SECONDS
 */
#include "work.h"

static volatile uint64_t sink;

WORK_FUNCTION static void busy_work(uint64_t until)
{
	uint64_t x = 1;
	unsigned int i;

	while (work_clock(CLOCK_MONOTONIC) < until)
		for (i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1;
	sink = x;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: busy SECONDS\n");
		return 2;
	}
	puts("ready");
	fflush(stdout);
	busy_work(work_clock(CLOCK_MONOTONIC) +
		  work_number(argv[1], "SECONDS") * 1000000000ULL);
	return 0;
}
