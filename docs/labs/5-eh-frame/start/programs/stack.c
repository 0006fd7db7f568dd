// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - _start > main > with_array > busy > check, which calls stop_here, and later by way of fail
 *
 * There is no C library: what the stack has is in this file, and all of it has entries.
 */
volatile unsigned long sink;

/* gdb stops here */
__attribute__((noipa)) void stop_here(void)
{
	sink++;
}

/* Never returns, and the compiler knows it: behind the call there is no code of the caller */
__attribute__((noipa, noreturn)) static void fail(unsigned long x)
{
	sink = x;
	stop_here();
	for (;;)
		__asm__ volatile("mov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall" : : : "rax", "rdi", "rcx", "r11");
}

__attribute__((noipa)) static void check(unsigned long x)
{
	if (x != 1)
		fail(x);
	stop_here();
	sink = 1; /* or the call would become a jump, and this function would not be on the stack */
}

/* Needs registers that calls leave alone: it saves rbx, rbp, and others */
__attribute__((noipa)) static unsigned long busy(unsigned long a, unsigned long b, unsigned long c)
{
	unsigned long d = a * b, e = b * c, f = c * a;

	check(1);
	check(a + d);
	return a + b + c + d + e + f + sink;
}

/* The size of its frame is known at run time only, so it needs rbp for the CFA */
__attribute__((noipa)) static unsigned long with_array(unsigned long nr)
{
	volatile unsigned long array[nr];

	array[nr - 1] = nr;
	return busy(nr, array[nr - 1], 7) + array[nr - 1];
}

__attribute__((noipa)) int main(void)
{
	sink = with_array(9);
	return (int)sink;
}

/* The first code of a process: no caller, and .cfi_undefined says so */
__asm__("	.globl	_start\n"
	"	.type	_start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	xor	%ebp, %ebp\n"
	"	and	$-16, %rsp\n"
	"	call	main\n"
	"	mov	%eax, %edi\n"
	"	mov	$60, %eax\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size	_start, . - _start\n");
