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
	work_cpu(&sink, ns);
}

int main(int argc, char **argv)
{
	uint64_t ns = 2000000;

	if (argc > 1)
		ns = work_number(argv[1], "MICROSECONDS") * 1000ULL;
	short_work(ns);
	return 0;
}
