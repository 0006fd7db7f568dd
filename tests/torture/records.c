// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records - run with chains of frame records that differ in one thing
 *
 * usage: records MILLISECONDS EACH
 *
 * The chain always begins at the same place, with the same return addresses. Then one of its records is
 * not at a multiple of 8, or below the one before it, or where nothing can be read, or in the kernel, or
 * is the last one, or has another return address: each in turn, as the second to the last one, and the
 * whole chain before each, for EACH milliseconds. Who takes a stack for the one that was there a moment
 * ago must look at every word. Prints "survived".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "spin.h"

#define RECORDS	14U
#define APART	32UL	/* bytes */
#define PAGE	4096UL

enum odd { WHOLE, MISALIGNED, FALLING, UNREADABLE, IN_KERNEL, LAST, RETURNS_ELSEWHERE, KINDS };

struct record {
	unsigned long next;
	unsigned long ret;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Where record @i lies: @at is that of the first, with a page below, and one that cannot be read above */
static char *place(char *at, unsigned int i, unsigned int odd_one, enum odd odd)
{
	if (i == odd_one && odd == MISALIGNED)
		return at + i * APART + 4;
	if (i == odd_one && odd == FALLING)
		return at - PAGE + i * APART;
	if (i == odd_one && odd == UNREADABLE)
		return at + PAGE + i * APART;
	return at + i * APART;
}

static unsigned long next_of(char *at, unsigned int i, unsigned int odd_one, enum odd odd)
{
	if (i + 1 == RECORDS || (i + 1 == odd_one && odd == LAST))
		return 0;
	if (i + 1 == odd_one && odd == IN_KERNEL)
		return 0xffff888000000000UL;
	return (unsigned long)place(at, i + 1, odd_one, odd);
}

static void write_chain(char *at, unsigned int odd_one, enum odd odd)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		struct record r = {
			.next = next_of(at, i, odd_one, odd),
			.ret = (unsigned long)now + i,
		};

		if (i == odd_one && odd == RETURNS_ELSEWHERE)
			r.ret += RECORDS;
		if (i != odd_one || odd != UNREADABLE)
			memcpy(place(at, i, odd_one, odd), &r, sizeof(r));
	}
}

/* So long that samples in step with it are none of one kind of chains only */
static void spin_with(char *at, unsigned int odd_one, enum odd odd, uint64_t each)
{
	uint64_t end = now() + each;

	write_chain(at, odd_one, odd);
	while (now() < end)
		spin_fp((unsigned long)at);
}

int main(int argc, char **argv)
{
	uint64_t end, each;
	unsigned int i = 0;
	char *at;

	if (argc != 3) {
		fprintf(stderr, "usage: records MILLISECONDS EACH\n");
		return 2;
	}
	at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + 2 * PAGE, PAGE, PROT_NONE)) {
		perror("records: memory");
		return 1;
	}
	at += PAGE;
	end = now() + strtoul(argv[1], NULL, 0) * 1000000;
	each = strtoul(argv[2], NULL, 0) * 1000000;
	while (now() < end) {
		spin_with(at, 0, WHOLE, each);
		spin_with(at, 1 + i / KINDS % (RECORDS - 1), i % KINDS, each);
		i++;
	}
	puts("survived");
	return 0;
}
