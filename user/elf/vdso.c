// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vdso.c - the vDSO: a library that the kernel maps into each process
 */
#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "elf/vdso.h"

const void *vdso_image(size_t *len)
{
	const Elf64_Ehdr *eh = (const void *)getauxval(AT_SYSINFO_EHDR);

	/* The section headers are at the end of the vDSO, and all pages up to them are mapped */
	*len = eh ? eh->e_shoff + (size_t)eh->e_shentsize * eh->e_shnum : 0;
	return eh;
}

Elf *vdso_begin(void)
{
	size_t len;
	const void *image = vdso_image(&len);

	/* libelf does not write to it */
	return image && elf_version(EV_CURRENT) != EV_NONE ? elf_memory((char *)image, len) : NULL;
}
