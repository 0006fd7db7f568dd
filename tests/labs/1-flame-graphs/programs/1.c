// SPDX-License-Identifier: GPL-2.0-or-later
/* 1.c - the length of a text is found anew for each of its letters */
#include "common.h"

static char text[3001];

FUNCTION size_t text_length(const char *s)
{
	FRAME;
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

FUNCTION uint64_t count_vowels(const char *s)
{
	FRAME;
	uint64_t n = 0;

	for (size_t i = 0; i < text_length(s); i++)
		n += s[i] == 'a' || s[i] == 'e' || s[i] == 'i';
	return n;
}

FUNCTION uint64_t check_sum(const char *s)
{
	FRAME;
	uint64_t sum = 0;

	for (int i = 0; i < 1500000; i++)
		sum = sum * 31 + s[i % 3000];
	return sum;
}

FUNCTION void read_text(void)
{
	FRAME;
	for (int round = 0; round < 200; round++)
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = 'a' + (i * 7 + sink) % 26;
}

int main(void)
{
	double end = now() + SECONDS;

	while (now() < end) {
		read_text();
		sink += count_vowels(text);
		sink += check_sum(text);
	}
	return 0;
}
