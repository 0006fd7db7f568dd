// SPDX-License-Identifier: GPL-2.0-only
/* The exception of a breakpoint is no NMI: x86 until 5.7, 0d00449c7a28 */
#include <linux/ptrace.h>
#include <asm/traps.h>

void feature(struct pt_regs *regs);
void feature(struct pt_regs *regs)
{
	ist_enter(regs);
}
