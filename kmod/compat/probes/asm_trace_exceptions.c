// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of page faults, until 6.15 */
#include <asm/trace/exceptions.h>

int probe(void (*fn)(void *data, unsigned long address, struct pt_regs *regs, unsigned long error));
int probe(void (*fn)(void *data, unsigned long address, struct pt_regs *regs, unsigned long error))
{
	check_trace_callback_type_page_fault_user(fn);
	return 0;
}
