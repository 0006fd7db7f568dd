// SPDX-License-Identifier: GPL-2.0-or-later
/* spin.c - main > outer > middle > stop_here, for ten seconds: for kflame explain */
#include <time.h>

static volatile unsigned long sink;

__attribute__((noipa)) static void stop_here(unsigned long x)
{
	for (int i = 0; i < 1000000; i++)
		sink = x * i;
}

__attribute__((noipa)) static unsigned long middle(unsigned long a, unsigned long b)
{
	stop_here(a);
	stop_here(b);
	return a + b + sink;
}

__attribute__((noipa)) static unsigned long outer(unsigned long a)
{
	volatile unsigned long words[8] = { a, a + 1 };

	words[2] = middle(words[0], words[1]);
	return words[2];
}

int main(void)
{
	time_t end = time(NULL) + 10;

	while (time(NULL) < end)
		outer(3);
	return 0;
}
