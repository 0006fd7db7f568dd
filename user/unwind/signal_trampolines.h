/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal_trampolines.h - finds what signal handlers return to, by its code
 *
 * It calls rt_sigreturn, at which a struct sigcontext is at a fixed offset from the stack
 * pointer. glibc's on x86-64 says so in its unwind table. arm64's is in the vdso, and says where
 * the link register was and not where the signal came; those of musl and of Go say nothing, or
 * what is wrong.
 *
 * The rule begins one byte before the code. A handler returns to the first instruction, and
 * return addresses are looked up less one; a program counter that is sampled in the trampoline
 * is looked up as it is, and is that of its first byte or of a later one. The byte before is
 * the last one of another instruction, at which no program counter is. While rt_sigreturn runs
 * the program counter is behind the code: the rule holds for that byte too, unless it is another
 * function's.
 */
#ifndef KFLAME_UNWIND_SIGNAL_TRAMPOLINES_H
#define KFLAME_UNWIND_SIGNAL_TRAMPOLINES_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/* More bytes of code than that are not read: what has these is a small C library or a vdso */
#define TRAMPOLINES_MAX_CODE	(4u << 20)

/**
 * trampolines_find() - finds those in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	of executable code, and @bytes of it
 * @rule:	number of the one that they have
 * @out:	gets their rows
 * @behind:	gets those of the byte behind each, which others come before
 *
 * Return: 0, also where the file is cut short; -ENOMEM.
 */
int trampolines_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		     uint32_t rule, struct row_list *out, struct row_list *behind);

#endif
