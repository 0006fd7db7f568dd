// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * brief - a process that lives a few milliseconds, and loads a library meanwhile
 *
 * usage: brief LIBRARY MICROSECONDS
 *
 * Spins for so much CPU time in brief_work(), then loads LIBRARY and spins in its plugin_work().
 */
#include "work.h"

#include <dlfcn.h>

static volatile uint64_t sink;

WORK_FUNCTION static void brief_work(uint64_t ns)
{
	work_cpu(&sink, ns);
}

int main(int argc, char **argv)
{
	uint64_t ns;
	void (*plugin_work)(uint64_t ns);
	void *library;

	if (argc != 3) {
		fprintf(stderr, "usage: brief LIBRARY MICROSECONDS\n");
		return 2;
	}
	ns = work_number(argv[2], "MICROSECONDS") * 1000ULL;
	brief_work(ns);
	library = dlopen(argv[1], RTLD_NOW);
	if (library)
		*(void **)&plugin_work = dlsym(library, "plugin_work");
	if (!library || !plugin_work) {
		fprintf(stderr, "brief: %s\n", dlerror());
		return 1;
	}
	plugin_work(ns);
	return 0;
}

