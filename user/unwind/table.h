/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the unwind table of a mapped file
 */
#ifndef KFLAME_UNWIND_TABLE_H
#define KFLAME_UNWIND_TABLE_H

#include "unwind/encode.h"

/**
 * elf_table_read() - compiles a file's unwind table
 * @fd:		the file, which may be hostile; the caller closes it
 * @out:	to be freed with unwind_table_exit() whatever is returned
 * @lost:	UNWIND_LOSSES elements; out: number of lost rows by cause, and of kept rows at UNWIND_KEPT;
 *		may be NULL
 *
 * Time and memory depend on the size of the unwind information: milliseconds and 1 MB for a C library,
 * some seconds and 600 MB for a hostile file. Rows beyond the limits are lost, as UNWIND_LIMIT.
 *
 * Return: 0, even without unwind information (KFLAME_TABLE_NONE) or if it is damaged; -ENOEXEC if it is
 * no 64-bit ELF file for x86-64 or arm64, or its headers are damaged; -ENOMEM.
 */
int elf_table_read(int fd, struct unwind_table *out, uint64_t *lost);

/**
 * elf_table_vdso() - compiles the unwind table of the vdso, which is the same in all 64-bit processes
 *
 * Offsets count from the start of the vdso, as in its mapping.
 *
 * Return: as elf_table_read(); -ENOENT if there is no vdso.
 */
int elf_table_vdso(struct unwind_table *out, uint64_t *lost);

#endif
