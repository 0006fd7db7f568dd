/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal_trampolines.h - finds the code that signal handlers return to
 *
 * A signal trampoline calls rt_sigreturn. There, a struct sigcontext is at a fixed offset from the stack
 * pointer. glibc's trampoline on x86-64 has an unwind table that says so. The arm64 trampoline is in the
 * vdso. Its unwind information has the link register, not the interrupted address. The trampolines of
 * musl and Go have no unwind information, or wrong information.
 *
 * The rule begins one byte before the code. A handler returns to the first instruction, and a return
 * address is looked up minus 1. That byte is the last one of another instruction, so no sampled program
 * counter is there. While rt_sigreturn runs, the program counter is after the code. So the rule also
 * applies to the byte after the code, unless that byte belongs to another function.
 */
#ifndef KFLAME_UNWIND_SIGNAL_TRAMPOLINES_H
#define KFLAME_UNWIND_SIGNAL_TRAMPOLINES_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/* Larger code is not read: only a C library or a vdso has trampolines */
#define TRAMPOLINES_MAX_CODE	(4u << 20)

/**
 * trampolines_find() - finds signal trampolines in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	file offset of executable code
 * @bytes:	size of this code
 * @rule:	number of the rule for trampolines
 * @out:	receives their rows
 * @behind:	receives a row for the byte after each; rows of other functions take precedence
 *
 * Return: 0, even if the file is truncated; -ENOMEM.
 */
int trampolines_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		     uint32_t rule, struct row_list *out, struct row_list *behind);

#endif
