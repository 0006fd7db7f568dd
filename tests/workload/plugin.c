// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugin - a library that dlopener loads when it has run for a while, and called calls
 */
#include "work.h"

static volatile uint64_t sink;

int plugin_step(int x);
void plugin_work(uint64_t ns);

WORK_FUNCTION int plugin_step(int x)
{
	return x * 7 + (int)sink;
}

/* Spin for @ns nanoseconds. */
WORK_FUNCTION void plugin_work(uint64_t ns)
{
	uint64_t until = work_clock(CLOCK_MONOTONIC) + ns, x = 1;
	unsigned int i;

	while (work_clock(CLOCK_MONOTONIC) < until)
		for (i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1;
	sink = x;
}
