/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/ptrace.h>

#include "compat/features.h"

#ifndef KF_OLDER_PTRACE_H
#define KF_OLDER_PTRACE_H

/* x86 has it since 4.20 ("x86: ptrace: Add function argument access API") */
#if defined(CONFIG_X86_64) && !defined(KF_HAVE_REGS_GET_KERNEL_ARGUMENT)
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs, unsigned int n)
{
	switch (n) {
	case 0: return regs->di;
	case 1: return regs->si;
	case 2: return regs->dx;
	case 3: return regs->cx;
	case 4: return regs->r8;
	case 5: return regs->r9;
	default: return 0;
	}
}
#endif

#endif
