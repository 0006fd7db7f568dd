// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk.c - the user stack, by frame pointers
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "lab.h"

/*
 * Does the frame pointer still belong to the caller at @ip? Then the return address is at @ret. Function
 * entry: "push %rbp" (55); after it: "mov %rsp,%rbp" (48 89 e5); at the end: "ret" (c3).
 */
static bool without_frame(u64 ip, u64 sp, u64 *ret)
{
	u64 code;

	if (lab_read_user(ip, &code))
		return false;
	if ((code & 0xff) == 0x55 || (code & 0xff) == 0xc3)
		return !lab_read_user(sp, ret);
	if ((code & 0xffffff) == 0xe58948)
		return !lab_read_user(sp + 8, ret);
	return false;
}

/* A frame is aligned, in the stack, and above the last one: so the walk ends */
static bool may_be_frame(u64 bp, u64 sp, u64 above)
{
	return !(bp & 7) && bp >= above && bp - sp < MAX_STACK;
}

static void walk_frames(const struct pt_regs *regs, struct stack *stack)
{
	u64 bp = regs->bp, above = regs->sp, next, ret;

	stack->ip[stack->nr++] = regs->ip;
	if (without_frame(regs->ip, regs->sp, &ret))
		stack->ip[stack->nr++] = ret;
	while (stack->nr < MAX_FRAMES && may_be_frame(bp, regs->sp, above)) {
		if (lab_read_user(bp, &next) || lab_read_user(bp + 8, &ret) || !ret)
			break;
		stack->ip[stack->nr++] = ret;
		above = bp + 16;
		bp = next;
	}
}

void walk(struct pt_regs *regs, struct stack *stack)
{
	stack->tgid = current->tgid;
	stack->nr = 0;
	/* A kernel thread may have borrowed the memory of another process. A dying one has none. */
	if (!current->mm || current->flags & PF_KTHREAD)
		return;
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	walk_frames(regs, stack);
}
