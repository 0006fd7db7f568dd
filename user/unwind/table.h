/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the unwind table of a mapped file
 */
#ifndef KFLAME_UNWIND_TABLE_H
#define KFLAME_UNWIND_TABLE_H

#include "unwind/encode.h"

/**
 * elf_table_read() - compiles a file's unwind table
 * @fd:		of the file, which nobody vouches for; stays the caller's
 * @out:	to be freed with unwind_table_exit() whatever is returned
 * @lost:	UNWIND_LOSSES numbers: gets how many rows are lost, by cause, at UNWIND_KEPT those
 *		that are not; may be NULL
 *
 * Takes time and memory by the size of the file's unwind information: a C library takes
 * 3 ms and 1 MB, LLVM 80 ms and 45 MB; what is made to take much, some seconds and 600 MB.
 * What is beyond its limits is lost, as UNWIND_LIMIT.
 *
 * Return: 0, also where there is no unwind information (KFLAME_TABLE_NONE), and of damage;
 * -ENOEXEC: no 64-bit ELF file of x86-64 or arm64, or its headers are damaged; -ENOMEM.
 */
int elf_table_read(int fd, struct unwind_table *out, uint64_t *lost);

/**
 * elf_table_vdso() - the table of the vdso, which is this process's and every other 64-bit one's
 *
 * Offsets count from its start, which is what a mapping of it tells.
 *
 * Return: as elf_table_read(); -ENOENT: there is none.
 */
int elf_table_vdso(struct unwind_table *out, uint64_t *lost);

#endif
