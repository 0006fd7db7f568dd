/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clones.h - finds the system calls that make threads, by their code
 *
 * The C library ends the entry of clone() and clone3() right before the instruction, since what
 * it says is wrong for the new thread. For the one that called it holds on, up to the place where
 * the new one goes its own way, at which another entry begins; and which of both it is
 * tells the register with the answer (KFLAME_CFA_CLONE).
 */
#ifndef KFLAME_CLONES_H
#define KFLAME_CLONES_H

#include <gelf.h>
#include <stdint.h>

#include "unwind/row_list.h"

/* No more of what follows is the calling thread's: glibc has 20 bytes, with the way to errno */
#define CLONES_BYTES	32

#define CLONES_MOST	16	/* a C library has two or three */

/**
 * clones_find() - finds those in a range of a file
 * @offset:	of executable code, and @bytes of it; 4 MiB at most are read
 * @calls:	gets the file offsets of the system calls, rising and CLONES_BYTES apart at least
 *
 * x86-64 only: of arm64's nothing was seen yet.
 *
 * Return: how many, CLONES_MOST at most.
 */
size_t clones_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t calls[CLONES_MOST]);

#endif
