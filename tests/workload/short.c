// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short - a process that lives a few milliseconds
 *
 * usage: short [MICROSECONDS]		(default 2000)
 *
 * Spins for so much CPU time in short_work() and exits.
 */
#include "work.h"

static volatile uint64_t sink;

WORK_FUNCTION static void short_work(uint64_t ns)
{
	/* from here on: what exec took counts as this process's too */
	uint64_t until = work_clock(CLOCK_PROCESS_CPUTIME_ID) + ns, x = 1;
	unsigned int i;

	while (work_clock(CLOCK_PROCESS_CPUTIME_ID) < until)
		for (i = 0; i < 2000; i++)
			x = x * 6364136223846793005ULL + 1;
	sink = x;
}

int main(int argc, char **argv)
{
	uint64_t ns = 2000000;

	if (argc > 1)
		ns = work_number(argv[1], "MICROSECONDS") * 1000ULL;
	short_work(ns);
	return 0;
}
