// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - count equal stacks in one slot
 */
#include <linux/jhash.h>
#include <linux/string.h>

#include "lab.h"

static u32 size_of(const struct stack *stack)
{
	return offsetof(struct stack, ip) + stack->nr * sizeof(stack->ip[0]);
}

/* Context: Hard interrupt */
void count_stack(struct cpu_state *cpu, const struct stack *stack)
{
	u32 hash = jhash(stack, size_of(stack), 0), i;

	for (i = 0; i < TABLE_SIZE; i++) {
		struct slot *slot = &cpu->table[(hash + i) & (TABLE_SIZE - 1)];

		if (slot->count) {
			/* counts it here, and in the next free slot as well */
			if (!memcmp(&slot->stack, stack, size_of(stack)))
				slot->count++;
			continue;
		}
		memcpy(&slot->stack, stack, size_of(stack));
		slot->count++;
		return;
	}
	cpu->lost++;
}
