/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_stacks.h - finds where stacks of Go programs begin, and where Go's runtime switches stacks
 *
 * Go runs its scheduler, its garbage collector and C functions on a stack of the thread (g0). Goroutines
 * have stacks of their own. Some assembler functions of the runtime switch stacks, or begin a thread.
 * .debug_frame does not describe this, so a walk by it finds a wrong return address there. A stripped
 * program has no .debug_frame at all. So the tool finds these functions by name, in .gopclntab.
 *
 * .debug_frame also does not say where a function saves the caller's frame pointer, which leads from one
 * stack to the other. On x86-64, each function with a frame has it right below the return address
 * (obj6.go).
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
	uint32_t over;		/* the frame pointer leads to the frame on the other stack */
};

/**
 * go_stacks_find() - finds these functions in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @from:	first address of executable code
 * @to:		one past the last address of this code
 * @shift:	file offset minus address
 * @rules:	the rules for their rows
 * @out:	receives their rows; no rows if it is no Go program
 *
 * Return: 0, even if the file is damaged; -ENOMEM.
 */
int go_stacks_find(Elf *elf, uint16_t machine, uint64_t from, uint64_t to, uint64_t shift,
		   const struct go_stacks_rules *rules, struct row_list *out);

/** go_is_program() - Return: whether @elf is a Go program */
bool go_is_program(Elf *elf);

/**
 * go_complete_rule() - adds to a rule where the frame pointer is saved, which .debug_frame leaves out
 * @rule:	a rule of an x86-64 program
 */
void go_complete_rule(struct kflame_rule *rule);

#endif
