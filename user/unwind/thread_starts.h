/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_starts.h - finds the system calls that make threads, by their code
 *
 * After this system call, the C library's unwind information for clone() or clone3() is wrong for the new
 * thread. On x86-64, the entry ends right before the instruction. On arm64, the entry continues. It is
 * right for the calling thread, up to the branch of the new thread, at which another entry begins. The
 * register with the result shows which of the two threads it is (KFLAME_CFA_CLONE).
 */
#ifndef KFLAME_UNWIND_THREAD_STARTS_H
#define KFLAME_UNWIND_THREAD_STARTS_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/* The most code after the call that the calling thread runs: glibc has 20 bytes, and sets errno there */
#define CLONES_BYTES	32
/* arm64: size of the compare and the branch; the code after them is the calling thread's */
#define CLONES_BRANCH	8

#define CLONES_MOST	16	/* a C library has two or three */

/**
 * clones_find() - finds these system calls in a range of a file
 * @machine:	EM_X86_64 or EM_AARCH64
 * @offset:	file offset of executable code
 * @bytes:	size of this code; if it is larger than 4 MiB, nothing is read
 * @calls:	out: file offsets of the system calls, sorted and at least CLONES_BYTES apart
 *
 * Return: number of system calls, at most CLONES_MOST.
 */
size_t clones_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		   uint64_t calls[CLONES_MOST]);

/**
 * clones_target() - the target of a new thread's branch after its system call, on arm64
 * @behind:	file offset after the system call
 *
 * fork() makes the same system call, but has no such branch: parent and child run the same code.
 *
 * Return: the file offset of the target, 0 if there is no such branch.
 */
uint64_t clones_target(Elf *elf, uint64_t behind);

#endif
