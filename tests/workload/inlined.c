// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inlined - spin in a function that is inlined into another one, which is inlined too
 *
 * usage: inlined SECONDS
 */
#include "work.h"

#define INLINED static inline __attribute__((always_inline))

static volatile uint64_t sink;

INLINED uint64_t innermost(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 200000; i++)
		x = x * 6364136223846793005ULL + 1;
	return x;
}

INLINED void middle(uint64_t until)
{
	uint64_t x = 1;

	while (work_clock(CLOCK_MONOTONIC) < until)
		x = innermost(x);
	sink = x;
}

WORK_FUNCTION static void spin(uint64_t until)
{
	middle(until);
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t until;

	if (argc != 2) {
		fprintf(stderr, "usage: inlined SECONDS\n");
		return 2;
	}
	until = work_clock(CLOCK_MONOTONIC) + work_number(argv[1], "SECONDS") * 1000000000ULL;
	spin(until);
	WORK_KEEP_FRAME();
	return 0;
}
