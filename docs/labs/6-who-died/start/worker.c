// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker.c - computes for a moment and ends; built as stamp, weigh and label
 *
 * usage: stamp MICROSECONDS
 */
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void WORK(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	WORK(argc > 1 ? atol(argv[1]) * 1000 : 0);
	return 0;
}
