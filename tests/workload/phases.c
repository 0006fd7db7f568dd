// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * phases - two functions that take turns, each for a known time
 *
 * usage: phases TURNS MILLISECONDS
 *
 * Each turn takes so many milliseconds of CPU time: phase_a, phase_b, phase_a, ...
 */
#include "work.h"

static volatile uint64_t sink;

WORK_FUNCTION static void phase_a(uint64_t ns)
{
	work_cpu(&sink, ns);
}

WORK_FUNCTION static void phase_b(uint64_t ns)
{
	work_cpu(&sink, ns);
	sink++;
}

int main(int argc, char **argv)
{
	unsigned long turns;
	uint64_t ns;

	if (argc != 3) {
		fprintf(stderr, "usage: phases TURNS MILLISECONDS\n");
		return 2;
	}
	turns = work_number(argv[1], "TURNS");
	ns = work_number(argv[2], "MILLISECONDS") * 1000000;
	for (unsigned long i = 0; i < turns; i++) {
		(i % 2 ? phase_b : phase_a)(ns);
		WORK_KEEP_FRAME();
	}
	return 0;
}
