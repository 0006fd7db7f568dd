/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h - the library that the kernel maps into each process
 */
#ifndef KFLAME_ELF_VDSO_H
#define KFLAME_ELF_VDSO_H

#include <libelf.h>

/**
 * vdso_image() - the vDSO of this process
 * @len:	out: its bytes
 *
 * Return: its first byte; NULL where the kernel has none
 */
const void *vdso_image(size_t *len);

/**
 * vdso_begin() - that of this process, which is that of every other 64-bit one on this kernel
 *
 * Return: for elf_end(); NULL where there is none.
 */
Elf *vdso_begin(void);

#endif
