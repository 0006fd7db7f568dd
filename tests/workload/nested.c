// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nested - calls a function that calls itself, for probes of its returns
 *
 * usage: nested COUNT DEPTH [MILLISECONDS]
 *
 * Each of COUNT calls makes DEPTH calls more, each by the one before.  They return 1, 2, up to 1 + DEPTH.  The
 * innermost call uses the CPU for so long.  Prints the sum of what the outermost calls returned, and the
 * nanoseconds that they took.
 */
#include "work.h"

#include <setjmp.h>

long nested_step(long depth);
long nested_leaver(long depth);

static volatile uint64_t sink;
static uint64_t spin_ns;
static jmp_buf away;
static volatile int leaves = 1;	/* hidden from the compiler */

WORK_FUNCTION long nested_step(long depth)
{
	long deeper = 0;

	if (depth)
		deeper = nested_step(depth - 1);
	else if (spin_ns)
		work_cpu(&sink, spin_ns);
	WORK_KEEP_FRAME();
	return deeper + 1;
}

/* Never returns */
WORK_FUNCTION long nested_leaver(long depth)
{
	if (!depth && leaves)
		longjmp(away, 1);
	if (!depth)
		return 0;
	return nested_leaver(depth - 1) + 1;
}

static void leave(long depth)
{
	if (!setjmp(away))
		nested_leaver(depth);
}

int main(int argc, char **argv)
{
	unsigned long count, depth;
	uint64_t ns = 0, begin;
	long sum = 0;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: nested COUNT DEPTH [MILLISECONDS]\n");
		return 2;
	}
	count = work_number(argv[1], "COUNT");
	depth = work_number(argv[2], "DEPTH");
	if (argc == 4)
		spin_ns = work_number(argv[3], "MILLISECONDS") * 1000000;
	while (count--) {
		leave((long)depth);
		begin = work_clock(CLOCK_MONOTONIC);
		sum += nested_step((long)depth);
		ns += work_clock(CLOCK_MONOTONIC) - begin;
	}
	printf("sum %ld\nns %llu\n", sum, (unsigned long long)ns);
	return 0;
}
