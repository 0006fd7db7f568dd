// SPDX-License-Identifier: GPL-2.0-or-later
/* 6.c - built without frame pointers and recorded by frame pointers: its stacks are not to be believed */
#include "common.h"

FUNCTION uint64_t mix(uint64_t a, uint64_t b)
{
	for (int i = 0; i < 3000; i++)
		a = (a ^ b) * 0x9e3779b97f4a7c15ULL + i;
	return a;
}

/* Uses rbp for data of its own */
FUNCTION uint64_t shrink_picture(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t e = a * b, f = b * c, g = c * d;

	for (int i = 0; i < 3; i++)
		e += mix(a + i, f) ^ mix(g, d);
	return a + b + c + d + e + f + g;
}

FUNCTION uint64_t send_picture(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t e = a * d, f = b * a, g = c * b;

	e += mix(a, f) ^ mix(g, d);
	return a + b + c + d + e + f + g;
}

FUNCTION uint64_t serve_request(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t x = shrink_picture(a, b, c, d);

	return x + a + b + c + d + send_picture(d, c, b, a);
}

int main(void)
{
	double end = now() + SECONDS;
	uint64_t i = 0;

	while (now() < end)
		for (int k = 0; k < 50; k++, i++)
			sink += serve_request(i, i + 1, i + 2, i + 3);
	return 0;
}
