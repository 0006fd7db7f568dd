/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin.h - loops with frame and stack pointers that no compiler makes */
#ifndef SPIN_H
#define SPIN_H

/* No frame is believed that lies below the stack pointer, so that is put very low */
#define LOW_SP	0x10000

/* A loop with the frame pointer, or the stack pointer, at @at */
#if defined(__x86_64__)
static inline void spin_fp(unsigned long at)
{
	unsigned long n = 200000;

	asm volatile("mov %%rbp, %%r12\n\t"
		     "mov %%rsp, %%r13\n\t"
		     "mov %1, %%rbp\n\t"
		     "mov %2, %%rsp\n"
		     "1: dec %0\n\t"
		     "jnz 1b\n\t"
		     "mov %%r13, %%rsp\n\t"
		     "mov %%r12, %%rbp" : "+r"(n) : "r"(at), "i"(LOW_SP) : "r12", "r13", "cc", "memory");
}

static inline void spin_sp(unsigned long at)
{
	unsigned long n = 200000;

	asm volatile("mov %%rsp, %%r12\n\t"
		     "mov %1, %%rsp\n"
		     "1: dec %0\n\t"
		     "jnz 1b\n\t"
		     "mov %%r12, %%rsp" : "+r"(n) : "r"(at) : "r12", "cc", "memory");
}
#elif defined(__aarch64__)
static inline void spin_fp(unsigned long at)
{
	unsigned long n = 200000;

	asm volatile("mov x19, x29\n\t"
		     "mov x20, sp\n\t"
		     "mov x29, %1\n\t"
		     "mov sp, %2\n"
		     "1: subs %0, %0, #1\n\t"
		     "b.ne 1b\n\t"
		     "mov sp, x20\n\t"
		     "mov x29, x19" : "+r"(n) : "r"(at), "r"((unsigned long)LOW_SP)
		     : "x19", "x20", "cc", "memory");
}

static inline void spin_sp(unsigned long at)
{
	unsigned long n = 200000;

	asm volatile("mov x19, sp\n\t"
		     "mov sp, %1\n"
		     "1: subs %0, %0, #1\n\t"
		     "b.ne 1b\n\t"
		     "mov sp, x19" : "+r"(n) : "r"(at & ~15UL) : "x19", "cc", "memory");
}
#endif

#endif
