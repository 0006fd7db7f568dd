// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vdso.c - the library that the kernel maps into each process
 */
#include <gelf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "symbols/vdso.h"

Elf *vdso_begin(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	GElf_Ehdr eh;
	size_t size;
	Elf *elf;

	if (!image || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	/* Its section headers are at its end; the pages up to there are mapped */
	elf = elf_memory(image, (size_t)sysconf(_SC_PAGESIZE));
	if (!elf)
		return NULL;
	if (!gelf_getehdr(elf, &eh)) {
		elf_end(elf);
		return NULL;
	}
	size = eh.e_shoff + (size_t)eh.e_shentsize * eh.e_shnum;
	elf_end(elf);
	return elf_memory(image, size);
}
