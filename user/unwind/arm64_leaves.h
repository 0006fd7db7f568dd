/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64_leaves.h - functions of arm64 that need no unwind information, by their code
 *
 * The kernel links arm64's vdso without any. Its functions call nothing and leave the stack
 * alone, so that the caller's stack pointer is theirs and the return address is in the link
 * register, wherever in them: that is read off each instruction (Arm ARM, section C4.1).
 */
#ifndef KFLAME_UNWIND_ARM64_LEAVES_H
#define KFLAME_UNWIND_ARM64_LEAVES_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/**
 * leaves_find() - finds those in a range of a file, of the functions in its .dynsym
 * @offset:	of executable code, and @bytes of it; @shift makes offsets of addresses
 * @rule:	number of the one that they have
 * @out:	gets their rows
 *
 * Return: 0, also where the file is damaged; -ENOMEM.
 */
int leaves_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t shift, uint32_t rule,
		struct row_list *out);

#endif
