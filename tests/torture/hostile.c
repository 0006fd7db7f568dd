// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile - run with frame and stack pointers that no compiler makes
 *
 * usage: hostile MILLISECONDS
 *
 * Spins for that long with each bad frame pointer, and then with each bad stack
 * pointer; while a second thread maps, protects and unmaps the memory that some of
 * them point into, and rewrites the chain of frames in it. Prints "survived".
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "spin.h"

#define PAGE	4096UL
#define PAGES	64UL

static unsigned long *chain;	/* PAGES pages of frames that change while they are read */
static atomic_int done;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Frames that lead from one to the next, up to @n of them; the last leads to @end */
static void link_frames(unsigned long *at, unsigned int n, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		at[2 * i] = i + 1 < n ? (unsigned long)&at[2 * i + 2] : end;
		at[2 * i + 1] = (unsigned long)now;
	}
}

static void *disturb(void *unused)
{
	const size_t bytes = PAGES * PAGE;
	unsigned int i = 0;

	(void)unused;
	while (!atomic_load(&done)) {
		char *page = (char *)chain + i++ % PAGES * PAGE;

		switch (i % 5) {
		case 0: mprotect(page, PAGE, PROT_NONE); break;
		case 1: mprotect(chain, bytes, PROT_READ | PROT_WRITE); break;
		case 2: madvise(page, PAGE, MADV_DONTNEED); break;
		case 3:
			munmap(page, PAGE);
			mmap(page, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			break;
		case 4:
			mprotect(chain, bytes, PROT_READ | PROT_WRITE);
			link_frames(chain, PAGES * PAGE / 16, i * 8);
			break;
		}
	}
	return NULL;
}

static void *reserve(size_t bytes, int prot)
{
	void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("hostile: mmap");
		exit(1);
	}
	return p;
}

int main(int argc, char **argv)
{
	unsigned long *guard, *unmapped, *steady;
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 0) : 20, until;
	pthread_t disturber;
	unsigned int i;

	chain = reserve(PAGES * PAGE, PROT_READ | PROT_WRITE);
	steady = reserve(PAGES * PAGE, PROT_READ | PROT_WRITE);
	guard = reserve(2 * PAGE, PROT_READ | PROT_WRITE);
	mprotect((char *)guard + PAGE, PAGE, PROT_NONE);
	unmapped = reserve(PAGE, PROT_NONE);
	munmap(unmapped, PAGE);
	/* loops: onto itself, of two, downwards; and one that is longer than any depth */
	steady[0] = (unsigned long)&steady[0];
	steady[2] = (unsigned long)&steady[4];
	steady[4] = (unsigned long)&steady[2];
	steady[8] = (unsigned long)&steady[6];
	steady[1] = steady[3] = steady[5] = steady[9] = (unsigned long)now;
	link_frames(steady + 16, 10000, 0xdead000000000000UL);
	guard[510] = (unsigned long)guard + PAGE - 8;
	guard[511] = (unsigned long)now;

	const unsigned long bad[] = {
		0, 1, 7, 8, 0xfff, 0x1000, 0x1008,
		(unsigned long)&steady[0], (unsigned long)&steady[2], (unsigned long)&steady[8],
		(unsigned long)&steady[16], (unsigned long)&steady[16] + 1,
		(unsigned long)unmapped, (unsigned long)guard + PAGE, (unsigned long)guard + PAGE - 8,
		(unsigned long)guard + PAGE - 16, (unsigned long)guard + PAGE - 4,
		(unsigned long)chain, (unsigned long)chain + PAGE * 3, (unsigned long)chain + 64,
		0x00007fffffffefe8, 0x00007fffffffeff0, 0x00007fffffffeff8, 0x00007ffffffff000,
		0x00007ffffffffff8, 0x0000800000000000, 0x0000fffffffffff0, 0x0001000000000000,
		0x00ffffffffffffff, 0x7ffffffffffffff8, 0x8000000000000000, 0x8000000000001000,
		0xdead000000000000, 0xffff7ffffffffff8, 0xffff800000000000, 0xffff888000000000,
		0xffffc90000000000, 0xffffffff81000000, 0xffffffffff600000, 0xfffffffffffffff0,
		0xffffffffffffffff,
	};

	if (pthread_create(&disturber, NULL, disturb, NULL))
		return 1;
	for (i = 0; i < 2 * sizeof(bad) / sizeof(*bad); i++) {
		until = now() + ms * 1000000;
		while (now() < until)
			(i & 1 ? spin_sp : spin_fp)(bad[i / 2]);
	}
	atomic_store(&done, 1);
	pthread_join(disturber, NULL);
	puts("survived");
	return 0;
}
