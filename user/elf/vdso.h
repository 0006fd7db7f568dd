/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h - the vDSO: a library that the kernel maps into each process
 */
#ifndef KFLAME_ELF_VDSO_H
#define KFLAME_ELF_VDSO_H

#include <libelf.h>

/**
 * vdso_image() - get the vDSO of this process
 * @len:	out: its size in bytes
 *
 * Return: its first byte; NULL if the kernel has none
 */
const void *vdso_image(size_t *len);

/**
 * vdso_begin() - open the vDSO of this process, which all 64-bit processes on this kernel share
 *
 * Return: for elf_end(); NULL if there is none.
 */
Elf *vdso_begin(void);

#endif
