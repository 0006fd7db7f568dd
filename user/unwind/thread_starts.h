/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_starts.h - finds the system calls that make threads, by their code
 *
 * Behind it what the C library's entry of clone() or clone3() says is wrong for the new thread, so
 * on x86-64 the entry ends right before the instruction. On arm64 it goes on. For the thread that
 * called it holds, up to the place where the new one goes its own way, at which another
 * entry begins; and which of both it is tells the register with the answer (KFLAME_CFA_CLONE).
 */
#ifndef KFLAME_UNWIND_THREAD_STARTS_H
#define KFLAME_UNWIND_THREAD_STARTS_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/* No more of what follows is the calling thread's: glibc has 20 bytes, with the way to errno */
#define CLONES_BYTES	32
/* Of arm64, the instructions that compare the answer and branch; what is behind is the caller's */
#define CLONES_BRANCH	8

#define CLONES_MOST	16	/* a C library has two or three */

/**
 * clones_find() - finds those in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	of executable code, and @bytes of it; 4 MiB at most are read
 * @calls:	gets the file offsets of the system calls, rising and CLONES_BYTES apart at least
 *
 * Return: how many, CLONES_MOST at most.
 */
size_t clones_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		   uint64_t calls[CLONES_MOST]);

/**
 * clones_target() - where a new thread of arm64 goes, at the branch behind its system call
 * @behind:	file offset of what is behind the system call
 *
 * fork() has the same system call, but no such branch: its child goes the same way.
 *
 * Return: the file offset, 0 if there is no such branch.
 */
uint64_t clones_target(Elf *elf, uint64_t behind);

#endif
