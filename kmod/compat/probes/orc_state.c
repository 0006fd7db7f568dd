// SPDX-License-Identifier: GPL-2.0-only
#include <asm/unwind.h>

#ifndef CONFIG_UNWINDER_ORC
#error "another unwinder"
#endif

bool probe(struct pt_regs *regs, unsigned long *stack);
bool probe(struct pt_regs *regs, unsigned long *stack)
{
	struct unwind_state state = {
		.stack_info = {
			.type = STACK_TYPE_TASK,
			.begin = stack,
			.end = stack + 1,
		},
		.task = current,
		.error = true,
		.signal = true,
		.full_regs = true,
		.sp = 0,
		.bp = 0,
		.ip = 0,
		.regs = regs,
	};

	return unwind_next_frame(&state);
}
