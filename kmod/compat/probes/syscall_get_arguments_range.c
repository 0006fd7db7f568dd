// SPDX-License-Identifier: GPL-2.0-only
/* Which arguments and how many: until 5.0, b35f549df1d7 */
#include <linux/sched.h>
#include <asm/syscall.h>

void probe(struct pt_regs *regs, unsigned long *args);
void probe(struct pt_regs *regs, unsigned long *args)
{
	syscall_get_arguments(current, regs, 0, 6, args);
}
