// SPDX-License-Identifier: GPL-2.0-or-later
/* step.c - task 4: from a frame to its caller */
#include "eh.h"

bool step(const struct file *file, const struct stack *stack, struct frame *frame)
{
	/* A return address is behind the call, and that may be another function already */
	uint64_t at = frame->interrupted ? frame->ip : frame->ip - 1;
	uint64_t cfa, ip, bp = frame->bp;
	struct row row = { 0 };
	struct fde fde;

	if (!file_find(file, at, &fde) || !cfi_row(&fde, at, &row))
		return false;
	if (row.rules[RETURN_ADDRESS].how != AT_CFA)
		return false;
	if (row.cfa_register == RSP)
		cfa = frame->sp + row.cfa_offset;
	else if (row.cfa_register == RBP)
		cfa = frame->bp + row.cfa_offset;
	else
		return false;
	if (!stack_read(stack, cfa + row.rules[RETURN_ADDRESS].offset, &ip))
		return false;
	if (row.rules[RBP].how == AT_CFA && !stack_read(stack, cfa + row.rules[RBP].offset, &bp))
		return false;
	/* The stack grows down: a caller's frame is above */
	if (cfa <= frame->sp)
		return false;
	*frame = (struct frame){ .ip = ip, .sp = cfa, .bp = bp };
	return true;
}
