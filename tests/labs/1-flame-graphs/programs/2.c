// SPDX-License-Identifier: GPL-2.0-or-later
/* 2.c - a costly comparison, called from everywhere: no box of the flame graph is wide */
#include "common.h"

FUNCTION uint64_t compare_keys(uint64_t a, uint64_t b)
{
	FRAME;
	for (int i = 0; i < 600; i++)
		a = (a ^ b) * 0x9e3779b97f4a7c15ULL + i;
	return a;
}

/* Work of a function's own */
#define OWN(name, times)                                                                                               \
	FUNCTION uint64_t name(uint64_t x)                                                                             \
	{                                                                                                              \
		FRAME;                                                                                                 \
		for (int i = 0; i < (times); i++)                                                                      \
			x = x * 6364136223846793005ULL + i;                                                            \
		sink += x;                                                                                             \
		return compare_keys(x, sink) + compare_keys(sink, x);                                                  \
	}

OWN(find_user, 900)
OWN(find_price, 1000)
OWN(find_city, 800)
OWN(sort_rows, 1400)
OWN(merge_lists, 1200)
OWN(drop_doubles, 700)

FUNCTION uint64_t load_tables(uint64_t x)
{
	FRAME;
	return find_user(x) + find_price(x + 1) + find_city(x + 2);
}

FUNCTION uint64_t make_report(uint64_t x)
{
	FRAME;
	uint64_t sum = sort_rows(x) + merge_lists(x + 1) + drop_doubles(x + 2);

	for (int i = 0; i < 1800; i++)
		sum = sum * 3 + i;
	return sum;
}

int main(void)
{
	double end = now() + SECONDS;

	while (now() < end)
		for (int i = 0; i < 200; i++) {
			sink += load_tables(i);
			sink += make_report(i);
		}
	return 0;
}
