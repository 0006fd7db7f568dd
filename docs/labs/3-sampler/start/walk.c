// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk.c - the user stack, by frame pointers (tasks 3 and 4)
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "lab.h"

/*
 * walk() - find out who was interrupted, and who called it
 * @regs: registers of the interrupted code, of user space or of the kernel
 * @stack: set
 *
 * Context: Hard interrupt.
 *
 * Task 3: follow the frame pointers. regs->bp is the address of the caller's frame pointer. The return
 * address is eight bytes above. The process controls all of that memory, so check before each read. Read
 * with lab_read_user().
 *
 * Task 4: kernel threads have no user memory. A thread in a system call has user registers:
 * task_pt_regs(current). The first instructions of a function run before its frame is there.
 */
void walk(struct pt_regs *regs, struct stack *stack)
{
	stack->tgid = current->tgid;
	stack->nr = 0;
}
