// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leafy.c - busy() calls leaf() all the time. Many samples in leaf() are before its frame is there, or after.
 *
 * usage: leafy		(ends by a signal)
 */
void leaf(void);
volatile int stop;

/* Short, so that much of its time is at its first instruction */
__asm__(".text\n"
	".globl leaf\n"
	".type leaf, @function\n"
	"leaf:\n"
	"	push	%rbp\n"		/* here the frame pointer is still the caller's */
	"	mov	%rsp, %rbp\n"
	"	mov	$4, %ecx\n"
	"1:	dec	%ecx\n"
	"	jnz	1b\n"
	"	pop	%rbp\n"
	"	ret\n"			/* here it is the caller's again */
	".size leaf, .-leaf\n");

__attribute__((noinline)) static void busy(void)
{
	while (!stop)
		leaf();
}

int main(void)
{
	busy();
	return 0;
}
