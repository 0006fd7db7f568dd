// SPDX-License-Identifier: GPL-2.0-or-later
/* stack.c - _start > main > outer > middle > leaf, which calls nothing; no C library */
volatile unsigned long sink;

#ifdef LEAF_ELSEWHERE
unsigned long leaf(unsigned long x);
#else
__attribute__((noipa)) unsigned long leaf(unsigned long x)
{
	volatile unsigned long mine = x;

	for (int i = 0; i < 10; i++)
		mine = mine * 3 + i;
	return mine;
}
#endif

/* Without frame pointers, the compiler keeps data in rbp here */
__attribute__((noipa)) unsigned long middle(unsigned long a, unsigned long b, unsigned long c)
{
	unsigned long d = a * b, e = b * c;

	return leaf(a) + a + b + c + d + e + leaf(b);
}

__attribute__((noipa)) unsigned long outer(unsigned long a)
{
	return middle(a, a + 1, a + 2) + 1;
}

__attribute__((noipa)) int main(void)
{
	sink = outer(5);
	return 0;
}

__asm__("	.globl	_start\n"
	"	.type	_start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	xor	%ebp, %ebp\n"
	"	and	$-16, %rsp\n"
	"	call	main\n"
	"	mov	$60, %eax\n"
	"	xor	%edi, %edi\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size	_start, . - _start\n");
