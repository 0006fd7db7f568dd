// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records - run with chains of frame records that differ in one thing
 *
 * usage: records MILLISECONDS EACH
 *
 * The chain always begins at the same place, with the same return addresses. Then one of its records is
 * not at a multiple of 8, or below the one before it, or where nothing can be read, or in the kernel, or
 * is the last one, or has another return address, or its address is right but for bits that no user
 * address has, or it is the very last words of user memory, or ends behind them: each in turn, as the
 * second to the last one, and the whole chain before each, for EACH milliseconds. The module reuses the
 * previous walk of a stack: it must compare every word first. Prints "survived".
 */
#include <errno.h>
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

/* What user memory lacks of 2 to some power: x86 never maps the last page. */
#ifdef __x86_64__
#define LACKS	PAGE
#else
#define LACKS	0UL
#endif

enum defect {
	WHOLE, MISALIGNED, FALLING, UNREADABLE, IN_KERNEL, LAST, RETURNS_ELSEWHERE, NO_USERS_BITS, AT_TOP,
	BEYOND, KINDS
};

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

/* Where the chains are: the first record, with a page below, and one that cannot be read above */
struct where {
	char *at;
	unsigned long end;	/* of user memory, whose last page is mapped */
};

/* Return: where user memory ends, 0 if its last page could not be had. */
static unsigned long map_end(void)
{
	unsigned int bits;
	unsigned long end;

	for (bits = 56; bits >= 38; bits--) {
		end = (1UL << bits) - LACKS;
		/* Where addresses are not random, the stack is there: what it ends with is of no use now. */
		if (mmap((void *)(end - PAGE), PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED ||
		    errno == EEXIST)
			return end;
	}
	return 0;
}

/* Where record @i lies */
static char *place(const struct where *w, unsigned int i, unsigned int bad, enum defect defect)
{
	if (i == bad && defect == MISALIGNED)
		return w->at + i * APART + 4;
	if (i == bad && defect == FALLING)
		return w->at - PAGE + i * APART;
	if (i == bad && defect == UNREADABLE)
		return w->at + PAGE + i * APART;
	if (i == bad && defect == AT_TOP)
		return (char *)(w->end - sizeof(struct record));
	return w->at + i * APART;
}

static unsigned long next_of(const struct where *w, unsigned int i, unsigned int bad, enum defect defect)
{
	if (i + 1 == RECORDS || (i + 1 == bad && defect == LAST))
		return 0;
	if (i + 1 == bad && defect == IN_KERNEL)
		return 0xffff888000000000UL;
	if (i + 1 == bad && defect == NO_USERS_BITS)
		return (unsigned long)place(w, i + 1, bad, defect) | ~0UL << 60;
	if (i + 1 == bad && defect == BEYOND)
		return w->end + LACKS - 3;
	return (unsigned long)place(w, i + 1, bad, defect);
}

static void write_chain(const struct where *w, unsigned int bad, enum defect defect)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		struct record r = {
			.next = next_of(w, i, bad, defect),
			.ret = (unsigned long)now + i,
		};

		if (i == bad && defect == RETURNS_ELSEWHERE)
			r.ret += RECORDS;
		if (i != bad || defect != UNREADABLE)
			memcpy(place(w, i, bad, defect), &r, sizeof(r));
	}
}

/* So long that samples in step with it are none of one kind of chains only */
static void spin_with(const struct where *w, unsigned int bad, enum defect defect, uint64_t each)
{
	uint64_t end = now() + each;

	write_chain(w, bad, defect);
	while (now() < end)
		spin_fp((unsigned long)w->at);
}

int main(int argc, char **argv)
{
	uint64_t end, each;
	struct where w = { .end = map_end() };
	unsigned int i = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: records MILLISECONDS EACH\n");
		return 2;
	}
	w.at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!w.end || w.at == MAP_FAILED || mprotect(w.at + 2 * PAGE, PAGE, PROT_NONE)) {
		perror("records: memory");
		return 1;
	}
	w.at += PAGE;
	end = now() + strtoul(argv[1], NULL, 0) * 1000000;
	each = strtoul(argv[2], NULL, 0) * 1000000;
	while (now() < end) {
		spin_with(&w, 0, WHOLE, each);
		spin_with(&w, 1 + i / KINDS % (RECORDS - 1), i % KINDS, each);
		i++;
	}
	puts("survived");
	return 0;
}
