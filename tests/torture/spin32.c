// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin32 - a 32-bit program, without a C library to be built with
 *
 * Recursion with frame pointers and a busy leaf, for about half a second; then exits
 * with 32.
 */
static volatile unsigned int sink;

__attribute__((noinline)) static unsigned int leaf(unsigned int n)
{
	unsigned int x = 1;

	while (n--)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline)) static unsigned int descend(unsigned int depth)
{
	return depth ? descend(depth - 1) + 1 : leaf(100000000);
}

void _start(void)
{
	sink = descend(10);
	__asm__ volatile("int $0x80" :: "a"(1), "b"(32));
	__builtin_unreachable();
}
