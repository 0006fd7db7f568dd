// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nest.c - main() calls outer(), which calls middle(), which calls inner(), which computes
 *
 * usage: nest		(ends by a signal)
 */
volatile unsigned long sum;
volatile int stop; /* never set */

__attribute__((noinline)) static void inner(void)
{
	while (!stop)
		sum = sum * 3 + 1;
}

__attribute__((noinline)) static void middle(void)
{
	inner();
	sum++;
}

__attribute__((noinline)) static void outer(void)
{
	middle();
	sum++;
}

int main(void)
{
	outer();
	return 0;
}
