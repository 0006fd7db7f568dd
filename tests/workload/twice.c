// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twice - a process that lives a few milliseconds, and execs itself meanwhile
 *
 * usage: twice TIMES MICROSECONDS
 *
 * Spins for so much CPU time in twice_work(), and then execs itself, so many times.
 */
#include "work.h"

#include <unistd.h>

static volatile uint64_t sink;

WORK_FUNCTION static void twice_work(uint64_t ns)
{
	work_cpu(&sink, ns);
}

int main(int argc, char **argv)
{
	unsigned long times;
	char left[24];

	if (argc != 3) {
		fprintf(stderr, "usage: twice TIMES MICROSECONDS\n");
		return 2;
	}
	times = work_number(argv[1], "TIMES");
	twice_work(work_number(argv[2], "MICROSECONDS") * 1000ULL);
	if (!times)
		return 0;
	snprintf(left, sizeof(left), "%lu", times - 1);
	argv[1] = left;
	execv(argv[0], argv);
	perror("twice: exec");
	return 1;
}
