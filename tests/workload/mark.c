// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mark - ends at once, at an address that no other program has: what counts instructions outside of the guest
 * (tests/bench/where) knows by it when a load begins and ends
 */
__asm__(".globl _start\n"
	"_start:\n"
#if defined(__x86_64__)
	"	mov	$60, %eax\n"
	"	xor	%edi, %edi\n"
	"	syscall\n"
#elif defined(__aarch64__)
	"	mov	x8, #93\n"
	"	mov	x0, #0\n"
	"	svc	#0\n"
#else
#error "exit(2) of this architecture"
#endif
);
