/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ustack_regs.h - a user program's registers in the order of their DWARF numbers
 *
 * KF_NR_USER_REGS	how many
 * kf_user_regs()	all of them
 *
 * x86-64: System V ABI, AMD64 supplement, figure 3.36; arm64: DWARF for the Arm 64-bit
 * architecture, section 4.1, and the program counter behind.
 */
#ifndef KF_USTACK_REGS_H
#define KF_USTACK_REGS_H

#include <linux/string.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include <kflame.h>

#if defined(CONFIG_X86_64)

#define KF_NR_USER_REGS	KFLAME_REGS_X86_64

static inline void kf_user_regs(u64 *to, const struct pt_regs *regs)
{
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[16] = regs->ip;
}

#elif defined(CONFIG_ARM64)

#define KF_NR_USER_REGS	KFLAME_REGS_ARM64

static inline void kf_user_regs(u64 *to, const struct pt_regs *regs)
{
	memcpy(to, regs->regs, sizeof(regs->regs));
	to[31] = regs->sp;
	to[32] = regs->pc;
}

#else
#error "kflame walks user stacks on x86-64 and arm64 only"
#endif

#endif
