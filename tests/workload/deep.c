// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deep - main > f24 > f23 > ... > f00, all the time in f00; without frame pointers
 *
 * usage: deep SECONDS [BYTES]
 *
 * Each function has BYTES (0 by default) of its own on the stack, which it uses. The frame
 * pointer's register is used for something else, so that a walk by it leads nowhere.
 */
#include "work.h"

static volatile uint64_t sink;
static unsigned long bytes;

WORK_FUNCTION static uint64_t f00(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 100000; i++)
		x = (x >> 3) * 0x9e3779b97f4a7c15ULL + i;
	return x;
}

#define LEVEL(name, next)					\
WORK_FUNCTION static uint64_t name(uint64_t x)			\
{								\
	uint64_t y = x * 3;					\
	unsigned char *own = __builtin_alloca(bytes + 1);	\
								\
	own[bytes] = (unsigned char)x;				\
	__asm__ volatile("" : : "r"(own) : "memory");		\
	x = next(x + 1);					\
	WORK_KEEP_FRAME();					\
	return x + y + own[bytes];				\
}

/* Without a frame pointer at all: what is on the stack has a fixed size */
#define PLAIN(name, next)					\
WORK_FUNCTION static uint64_t name(uint64_t x)			\
{								\
	uint64_t y = x * 3;					\
								\
	x = next(x + 1);					\
	WORK_KEEP_FRAME();					\
	return x + y;						\
}

PLAIN(f01, f00) PLAIN(f02, f01) PLAIN(f03, f02) PLAIN(f04, f03) PLAIN(f05, f04) PLAIN(f06, f05)
PLAIN(f07, f06) PLAIN(f08, f07) PLAIN(f09, f08) PLAIN(f10, f09) PLAIN(f11, f10) PLAIN(f12, f11)
LEVEL(f13, f12) LEVEL(f14, f13) LEVEL(f15, f14) LEVEL(f16, f15) LEVEL(f17, f16) LEVEL(f18, f17)
PLAIN(f19, f18) PLAIN(f20, f19) PLAIN(f21, f20) PLAIN(f22, f21) PLAIN(f23, f22) PLAIN(f24, f23)

int main(int argc, char **argv)
{
	uint64_t begin = work_clock(CLOCK_MONOTONIC), limit, x = 1;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: deep SECONDS [BYTES]\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	bytes = argc > 2 ? work_number(argv[2], "BYTES") : 0;
	while (work_clock(CLOCK_MONOTONIC) - begin < limit)
		x = f24(x);
	sink = x;
	return 0;
}
