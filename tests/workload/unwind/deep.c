// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deep - recursion of 100, 199 and 400 frames, large and small ones in turns, without frame
 * pointers, through closures as compilers of Rust make them
 *
 * usage: deep SECONDS	(of CPU time; at least one round)
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "chains.h"

struct closure {
	uint64_t (*call)(const struct closure *self, unsigned int left, uint64_t x);
	uint64_t captured;
};

static uint64_t sink;

uint64_t deep_bottom(uint64_t x);
uint64_t deep_big(unsigned int left, uint64_t x);
uint64_t deep_small(unsigned int left, uint64_t x);
uint64_t deep_first(const struct closure *self, unsigned int left, uint64_t x);
uint64_t deep_second(const struct closure *self, unsigned int left, uint64_t x);
uint64_t deep_100(uint64_t x);
uint64_t deep_199(uint64_t x);
uint64_t deep_400(uint64_t x);
int enough(double seconds);
double seconds_of(int argc, char **argv);

static const struct closure closures[] = { { deep_first, 3 }, { deep_second, 5 } };
static const struct closure *volatile chosen = closures;

OWN uint64_t deep_bottom(uint64_t x)
{
	return spin(x, 5000);
}

//> deep_big -> deep_first
//> deep_big -> deep_second
//> deep_big -> deep_bottom
OWN uint64_t deep_big(unsigned int left, uint64_t x)
{
	const struct closure *closure = &chosen[left / 3 % 2];
	volatile uint64_t block[256];

	block[x % 256] = spin(x, 20);
	block[(x + 1) % 256] = x;
	if (left)
		x = closure->call(closure, left - 1, block[x % 256]);
	else
		x = deep_bottom(x);
	return x + block[(x + 1) % 256];
}

//> deep_first -> deep_small
OWN uint64_t deep_first(const struct closure *self, unsigned int left, uint64_t x)
{
	uint64_t captured = self->captured * x;

	x = deep_small(left - 1, x ^ captured);
	return x * captured;
}

//> deep_second -> deep_small
OWN uint64_t deep_second(const struct closure *self, unsigned int left, uint64_t x)
{
	volatile uint64_t block[20];

	block[x % 20] = self->captured;
	x = deep_small(left - 1, spin(x, 10));
	return x + block[(x + 7) % 20];
}

//> deep_small -> deep_big
OWN uint64_t deep_small(unsigned int left, uint64_t x)
{
	return deep_big(left - 1, x + left) * 3;
}

/* Frames between the first and the last of these: exactly so many. One more than a
 * multiple of three, so that it is always the same function that reaches the bottom. */
//> deep_100 -> deep_big
//> depth deep_100 100 deep_bottom
OWN uint64_t deep_100(uint64_t x)
{
	return deep_big(99, x) + 1;
}

//> deep_199 -> deep_big
//> depth deep_199 199 deep_bottom
OWN uint64_t deep_199(uint64_t x)
{
	return deep_big(198, x) + 1;
}

//> deep_400 -> deep_big
//> depth deep_400 400 deep_bottom
OWN uint64_t deep_400(uint64_t x)
{
	return deep_big(399, x) + 1;
}

//> enough uses
OWN int enough(double seconds)
{
	return (double)clock() / CLOCKS_PER_SEC >= seconds;
}

//> seconds_of uses
OWN double seconds_of(int argc, char **argv)
{
	/* Not as its last act: that would be a jump, and main() its caller */
	volatile double seconds = argc == 2 ? atof(argv[1]) : 0;

	return seconds;
}

//> @ -> main
//> main -> seconds_of
//> main -> deep_100
//> main -> deep_199
//> main -> deep_400
//> main -> enough
int main(int argc, char **argv)
{
	double seconds = seconds_of(argc, argv);
	uint64_t x = (uint64_t)argc;

	do {
		x = deep_100(x);
		x = deep_199(x);
		x = deep_400(x);
	} while (!enough(seconds));
	sink = x;
	record_print();
	return 0;
}
