// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diverse - over 5,000 distinct stacks (16,384, once it has run for 17 s)
 *
 * usage: diverse SECONDS
 *
 * Recursion over the BITS low bits of a counter: a bit that is set is descended
 * through one function, a clear one through another, so each of the 2^BITS
 * values is a stack of its own.  The counter walks all of them in a fixed
 * scattered order; each bottom spins for about as long as a sample period at
 * 997 Hz, lest neighbours stay unseen.  Prints how many distinct bottoms were reached.
 */
#include "work.h"

#define BITS	14	/* 16,384 stacks */
#define STEP	6907	/* not even, so every value comes once in 2^BITS */

static volatile uint64_t sink;

static void bit_clear(unsigned int value, unsigned int bits);

WORK_FUNCTION static void bottom(unsigned int value)
{
	uint64_t until = work_clock(CLOCK_MONOTONIC) + 1000000, x = value;
	unsigned int i;

	do {
		for (i = 0; i < 1000; i++)
			x = x * 6364136223846793005ULL + 1;
	} while (work_clock(CLOCK_MONOTONIC) < until);
	sink = x;
}

WORK_FUNCTION static void bit_set(unsigned int value, unsigned int bits)
{
	if (!bits)
		bottom(value);
	else if (value & (1U << (bits - 1)))
		bit_set(value, bits - 1);
	else
		bit_clear(value, bits - 1);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void bit_clear(unsigned int value, unsigned int bits)
{
	if (!bits)
		bottom(value);
	else if (value & (1U << (bits - 1)))
		bit_set(value, bits - 1);
	else
		bit_clear(value, bits - 1);
	/* differs from bit_set, lest the two are folded into one */
	sink = bits;
	WORK_KEEP_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t begin = work_clock(CLOCK_MONOTONIC), limit;
	unsigned int value = 0, reached = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: diverse SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	while (work_clock(CLOCK_MONOTONIC) - begin < limit) {
		bit_clear(value, BITS);
		value = (value + STEP) & ((1U << BITS) - 1);
		reached++;
	}
	printf("%u\n", reached < (1U << BITS) ? reached : 1U << BITS);
	return 0;
}
