/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_stacks.h - where stacks of Go programs begin, and where Go's runtime changes to another one
 *
 * Go runs its scheduler, its collector and calls of C on a stack of the thread (g0), and programs on stacks of
 * their own. Some assembler functions of its runtime change from one to the other, or begin a thread.
 * .debug_frame says nothing of that: what it takes for a return address there is none. A stripped program has
 * no .debug_frame at all. So the tool finds these functions by their names, which .gopclntab keeps.
 *
 * Nor does .debug_frame say where a function has saved the caller's frame pointer, which shows the way from one
 * stack to the other. On x86-64 each function with a frame has it right below its return address (obj6.go).
 */
#ifndef KFLAME_UNWIND_GO_STACKS_H
#define KFLAME_UNWIND_GO_STACKS_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "unwind/row_list.h"

/** struct go_stacks_rules - numbers of rules */
struct go_stacks_rules {
	uint32_t end;		/* this is the outermost frame */
	uint32_t over;		/* the frame pointer leads to the frame, on the other stack */
};

/**
 * go_stacks_find() - finds those in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @from:	first address of executable code
 * @to:		and one past its last one
 * @shift:	makes offsets of addresses
 * @out:	gets their rows, nothing where the program is not Go's
 *
 * Return: 0, also where the file is damaged; -ENOMEM.
 */
int go_stacks_find(Elf *elf, uint16_t machine, uint64_t from, uint64_t to, uint64_t shift,
		   const struct go_stacks_rules *rules, struct row_list *out);

/** go_is_program() - Return: whether it is a program of Go */
bool go_is_program(Elf *elf);

/**
 * go_complete_rule() - adds to a rule what Go's .debug_frame leaves out
 * @rule:	of a program for x86-64
 */
void go_complete_rule(struct kflame_rule *rule);

#endif
