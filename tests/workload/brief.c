// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * brief - a process that lives a few milliseconds, and changes what it is meanwhile
 *
 * usage: brief exec TIMES MICROSECONDS		exec itself so often, and work each time
 *	  brief dlopen LIBRARY MICROSECONDS	work, load LIBRARY, and spin in its plugin_work()
 */
#include "work.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static volatile uint64_t sink;

WORK_FUNCTION static void brief_work(uint64_t ns)
{
	uint64_t until = work_clock(CLOCK_PROCESS_CPUTIME_ID) + ns, x = 1;
	unsigned int i;

	while (work_clock(CLOCK_PROCESS_CPUTIME_ID) < until)
		for (i = 0; i < 2000; i++)
			x = x * 6364136223846793005ULL + 1;
	sink = x;
}

static int again(char **argv, uint64_t ns)
{
	unsigned long times = work_number(argv[2], "TIMES");
	char left[24];

	brief_work(ns);
	if (!times)
		return 0;
	snprintf(left, sizeof(left), "%lu", times - 1);
	argv[2] = left;
	execv(argv[0], argv);
	perror("brief: exec");
	return 1;
}

static int load(char **argv, uint64_t ns)
{
	void (*plugin_work)(uint64_t ns);
	void *library;

	brief_work(ns);
	library = dlopen(argv[2], RTLD_NOW);
	if (library)
		*(void **)&plugin_work = dlsym(library, "plugin_work");
	if (!library || !plugin_work) {
		fprintf(stderr, "brief: %s\n", dlerror());
		return 1;
	}
	plugin_work(ns);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t ns;

	if (argc != 4) {
		fprintf(stderr, "usage: brief exec TIMES MICROSECONDS\n"
			"       brief dlopen LIBRARY MICROSECONDS\n");
		return 2;
	}
	ns = work_number(argv[3], "MICROSECONDS") * 1000ULL;
	return strcmp(argv[1], "exec") ? load(argv, ns) : again(argv, ns);
}
