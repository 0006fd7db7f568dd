// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * liar.c - a frame pointer that points out of the stack, to memory that looks like frames
 *
 * usage: liar		(ends by a signal)
 *
 * lies() has the address of fake[] in the frame pointer. Code without frame pointers uses that register for
 * anything. The fake frames "return" to never_called(), and lead around in a circle.
 */
#include <stdint.h>

__attribute__((noinline, used)) void never_called(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

uint64_t fake[8];

__attribute__((noinline)) void lies(void)
{
	__asm__ volatile("push	%%rbp\n"
			 "lea	fake(%%rip), %%rbp\n"
			 "1:	nop\n"
			 "	jmp 1b\n"
			 ::: "memory");
}

int main(void)
{
	for (int i = 0; i < 8; i += 2) {
		fake[i] = (uint64_t)&fake[(i + 2) % 8];
		fake[i + 1] = (uint64_t)never_called + 4;
	}
	lies();
	return 0;
}
