// SPDX-License-Identifier: GPL-2.0-or-later
/* 3.c - a recursion that computes the same values again and again */
#include "common.h"

FUNCTION uint64_t ways(int steps)
{
	FRAME;
	if (steps < 2)
		return 1;
	for (int i = 0; i < 20; i++)
		sink += i;
	return ways(steps - 1) + ways(steps - 2);
}

FUNCTION void print_table(int n)
{
	FRAME;
	for (int i = 0; i < 60000; i++)
		sink += i * n;
}

FUNCTION void all_stairs(void)
{
	FRAME;
	sink += ways(18);
	print_table(18);
}

int main(void)
{
	double end = now() + SECONDS;

	while (now() < end)
		all_stairs();
	return 0;
}
