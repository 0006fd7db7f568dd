// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ptrace.h>

unsigned long probe(struct pt_regs *regs);
unsigned long probe(struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 0);
}
