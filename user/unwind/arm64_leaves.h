/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64_leaves.h - finds arm64 leaf functions that need no unwind information, by their code
 *
 * The kernel links the arm64 vdso without unwind information. Its functions call nothing and do not use
 * the stack. So at every instruction, sp is the caller's and the return address is in the link register.
 * The code here verifies this for each instruction (Arm ARM, section C4.1).
 */
#ifndef KFLAME_UNWIND_ARM64_LEAVES_H
#define KFLAME_UNWIND_ARM64_LEAVES_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/**
 * leaves_find() - finds leaf functions in a range of a file, among the functions in its .dynsym
 * @offset:	file offset of executable code
 * @bytes:	size of this code
 * @shift:	file offset minus address
 * @rule:	number of the rule for leaf functions
 * @out:	receives their rows
 *
 * Return: 0, even if the file is damaged; -ENOMEM.
 */
int leaves_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t shift, uint32_t rule,
		struct row_list *out);

#endif
