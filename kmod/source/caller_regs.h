/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller_regs.h - registers from which the stack of a function's caller can be walked
 */
#ifndef KF_CALLER_REGS_H
#define KF_CALLER_REGS_H

#include <asm/ptrace.h>
#ifdef CONFIG_X86_64
#include <asm/segment.h>
#endif

/*
 * The registers that a walk needs, as they will be when the function that calls this one has returned. This
 * function is inlined there. __builtin_frame_address() makes the compiler keep a frame record.
 */
static __always_inline void kf_caller_regs(struct pt_regs *regs)
{
	const unsigned long *record = __builtin_frame_address(0);

#ifdef CONFIG_X86_64
	regs->bp = record[0];
	regs->ip = (unsigned long)__builtin_return_address(0);
	regs->sp = (unsigned long)(record + 2);
	regs->cs = __KERNEL_CS;
	regs->ss = __KERNEL_DS;
	regs->flags = 0;
#else
	regs->regs[29] = record[0];
	regs->regs[30] = 0;
	regs->pc = (unsigned long)__builtin_return_address(0);
	regs->sp = (unsigned long)(record + 2);
	regs->pstate = PSR_MODE_EL1h;
#endif
}

#endif
