// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - a program's own record of its calls (gcc -finstrument-functions)
 *
 * Each thread keeps a stack of the functions that it is in; at each function's begin the pair
 * of caller and callee is noted, with the place that the call came from: if that is not in
 * a file that has such functions, a library came between. Printed at the end:
 *
 *	edge CALLER call|library|signal CALLEE	CALLER is @ where there is none
 *	signal-frame FILE OFFSET		what handlers return to, as a file offset
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chains.h"

#define DEEPEST	4096
#define SLOTS	4096

struct level {
	void *function;
	bool gone;
};

struct call {
	atomic_int state;	/* 0: free, 1: being written, 2: written */
	void *caller, *callee, *site;
};

static _Thread_local struct level levels[DEEPEST];
static _Thread_local volatile unsigned int depth;
static struct call calls[SLOTS];

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static void note(void *caller, void *callee, void *site)
{
	uintptr_t hash = ((uintptr_t)caller * 31 + (uintptr_t)callee) * 31 + (uintptr_t)site;
	unsigned int i;

	hash ^= hash >> 17;
	for (i = 0; i < SLOTS; i++) {
		struct call *c = &calls[(hash + i) % SLOTS];
		int is_free = 0;

		if (atomic_load(&c->state) == 2 && c->caller == caller && c->callee == callee &&
		    c->site == site)
			return;
		/* a signal or another thread may write the same once more */
		if (!atomic_compare_exchange_strong(&c->state, &is_free, 1))
			continue;
		c->caller = caller;
		c->callee = callee;
		c->site = site;
		atomic_store(&c->state, 2);
		return;
	}
	fputs("record: too many calls\n", stderr);
	abort();
}

void __cyg_profile_func_enter(void *function, void *site)
{
	unsigned int at = depth, i;

	if (at >= DEEPEST) {
		fputs("record: too deep\n", stderr);
		abort();
	}
	/* a signal from here on keeps off this level */
	depth = at + 1;
	atomic_signal_fence(memory_order_seq_cst);
	levels[at].gone = false;
	levels[at].function = function;
	for (i = at; i && levels[i - 1].gone;)
		i--;
	note(i ? levels[i - 1].function : NULL, function, site);
}

void __cyg_profile_func_exit(void *function, void *site)
{
	unsigned int at = depth;
	(void)site;

	if (!at || levels[at - 1].function != function) {
		fputs("record: the end of a function that did not begin\n", stderr);
		abort();
	}
	depth = at - 1;
}

void record_tail(void)
{
	levels[depth - 1].gone = true;
}

unsigned int record_mark(void)
{
	return depth;
}

void record_reset(unsigned int mark)
{
	depth = mark;
}

static const char *name_of(void *function, Dl_info *in)
{
	if (!function)
		return "@";
	if (!dladdr(function, in) || in->dli_saddr != function) {
		fprintf(stderr, "record: %p has no name\n", function);
		abort();
	}
	return in->dli_sname;
}

/* Does a handler of a signal return to here? */
static bool returns_from_signal(const void *site)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
#elif defined(__aarch64__)
	static const unsigned char code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
#endif
	return !memcmp(site, code, sizeof(code));
}

static void print_signal_frame(const void *site)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	char line[512], path[256];
	static bool done;

	while (maps && !done && fgets(line, sizeof(line), maps)) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset,
			   path) < 3 || (uintptr_t)site < start || (uintptr_t)site >= end)
			continue;
		printf("signal-frame %s %#lx\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
		       (uintptr_t)site - start + offset);
		done = true;
	}
	if (maps)
		fclose(maps);
}

/* A file with functions that tell of themselves */
static bool is_own(const void *base)
{
	unsigned int i;
	Dl_info info;

	for (i = 0; i < SLOTS; i++)
		if (atomic_load(&calls[i].state) == 2 && dladdr(calls[i].callee, &info) &&
		    info.dli_fbase == base)
			return true;
	return false;
}

void record_print(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct call *c = &calls[i];
		Dl_info caller, callee, site = { 0 };
		const char *how = "library";

		if (atomic_load(&c->state) != 2)
			continue;
		if (returns_from_signal(c->site)) {
			how = "signal";
			print_signal_frame(c->site);
		} else if (!c->caller || (dladdr(c->site, &site) && is_own(site.dli_fbase))) {
			how = "call";
		}
		printf("edge %s %s %s\n", name_of(c->caller, &caller), how,
		       name_of(c->callee, &callee));
	}
}
