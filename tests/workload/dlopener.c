// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dlopener - a program whose mappings grow while it is sampled
 *
 * usage: dlopener LIBRARY SECONDS
 *
 * Spins in before_dlopen() for half of SECONDS, then loads LIBRARY and spins
 * in its plugin_work() for the other half.
 */
#include "work.h"

#include <dlfcn.h>

static volatile uint64_t sink;

WORK_FUNCTION static void before_dlopen(uint64_t ns)
{
	uint64_t until = work_clock(CLOCK_MONOTONIC) + ns, x = 1;
	unsigned int i;

	while (work_clock(CLOCK_MONOTONIC) < until)
		for (i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1;
	sink = x;
}

int main(int argc, char **argv)
{
	void (*plugin_work)(uint64_t ns);
	uint64_t half;
	void *library;

	if (argc != 3) {
		fprintf(stderr, "usage: dlopener LIBRARY SECONDS\n");
		return 2;
	}
	half = work_number(argv[2], "SECONDS") * 500000000ULL;
	before_dlopen(half);
	library = dlopen(argv[1], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "dlopener: %s\n", dlerror());
		return 1;
	}
	*(void **)&plugin_work = dlsym(library, "plugin_work");
	if (!plugin_work) {
		fprintf(stderr, "dlopener: %s\n", dlerror());
		return 1;
	}
	plugin_work(half);
	return 0;
}
