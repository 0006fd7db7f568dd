// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - count equal stacks in one slot (task 2)
 */
#include <linux/jhash.h>
#include <linux/string.h>

#include "lab.h"

/*
 * count_stack() - count one sample
 * @cpu: this CPU's
 * @stack: its stack; addresses above @stack->nr are not set
 *
 * Context: Hard interrupt.
 *
 * Task 2: find the slot that has an equal stack, or else a free one. Begin at the hash of the stack and look
 * at the slots one after the other. A sample that finds neither is lost: count it. The counts of all slots
 * and @lost add up to @samples, which the timer counts.
 */
void count_stack(struct cpu_state *cpu, const struct stack *stack)
{
}
