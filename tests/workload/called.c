// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * called - calls a function so many times, for uprobes
 *
 * usage: called COUNT [LIBRARY]
 *
 * Without LIBRARY it calls called_step(), else plugin_step() of LIBRARY.  Each call is made by call_many().
 */
#include "work.h"

#include <dlfcn.h>

int called_data = 1;

int called_ifunc(int x);
int called_step(int x);

typedef int step_fn(int x);

WORK_FUNCTION int called_step(int x)
{
	return x * 7 + called_data;
}

static step_fn *choose(void)
{
	return called_step;
}

int called_ifunc(int x) __attribute__((ifunc("choose")));

WORK_FUNCTION static int call_many(unsigned long count, step_fn *step)
{
	int x = 0;

	while (count--)
		x = step(x);
	return x;
}

int main(int argc, char **argv)
{
	step_fn *step = called_step;
	void *library;
	int x;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: called COUNT [LIBRARY]\n");
		return 2;
	}
	if (argc == 3) {
		library = dlopen(argv[2], RTLD_NOW);
		step = NULL;
		if (library)
			*(void **)&step = dlsym(library, "plugin_step");
		if (!step) {
			fprintf(stderr, "called: %s\n", dlerror());
			return 1;
		}
	}
	x = call_many(work_number(argv[1], "COUNT"), step);
	return argc > 3 && called_ifunc(x);
}
