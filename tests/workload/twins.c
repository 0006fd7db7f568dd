// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twins - two stacks that are alike but for one frame far out
 *
 * usage: twins SECONDS
 *
 * As deep, with the same instructions innermost and in the middle: who does not compare all frames
 * takes one for the other. Each measures what it took by the thread's own CPU clock, one three times as
 * much as the other. Runs for SECONDS of CPU time, then prints a line for each: name, nanoseconds.
 */
#include "work.h"

static volatile uint64_t sink;

WORK_FUNCTION static void spin(unsigned long loops)
{
	uint64_t x = loops;

	while (loops--)
		x = x * 6364136223846793005ULL + 1;
	sink = x;
}

WORK_FUNCTION static void same(unsigned int deeper, unsigned long loops)
{
	if (deeper)
		same(deeper - 1, loops);
	else
		spin(loops);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void twin_three(unsigned long loops)
{
	same(9, loops * 3);
	WORK_KEEP_FRAME();
}

WORK_FUNCTION static void twin_one(unsigned long loops)
{
	same(9, loops);
	/* differs from twin_three(), lest the two are folded into one */
	__asm__ volatile("nop" ::: "memory");
}

static uint64_t timed(void (*twin)(unsigned long), unsigned long loops)
{
	uint64_t start = work_clock(CLOCK_THREAD_CPUTIME_ID);

	twin(loops);
	return work_clock(CLOCK_THREAD_CPUTIME_ID) - start;
}

int main(int argc, char **argv)
{
	uint64_t three = 0, one = 0, limit;
	unsigned long loops = 1000;

	if (argc != 2) {
		fprintf(stderr, "usage: twins SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	/* Long turns: neither the clock's cost nor one interrupt must show. */
	while ((one += timed(twin_one, loops)) < 20000000)
		loops *= 2;
	while (three + one < limit) {
		three += timed(twin_three, loops);
		one += timed(twin_one, loops);
	}
	printf("twin_three %llu\ntwin_one %llu\n", (unsigned long long)three,
	       (unsigned long long)one);
	return 0;
}
