// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loaded_bytes.c - what an untrusted ELF file has at an address, by its program headers
 */
#include <stddef.h>

#include "elf/loaded_bytes.h"

#define MAX_PHDRS	(65536 / sizeof(Elf64_Phdr))	/* Linux runs no file with more */
#define MAX_BYTES	(256u << 20)

static bool phdr_is(Elf *elf, size_t i, uint32_t type, GElf_Phdr *ph)
{
	return gelf_getphdr(elf, (int)i, ph) && ph->p_type == type;
}

static size_t nr_headers(Elf *elf)
{
	size_t nr;

	return elf_getphdrnum(elf, &nr) || nr > MAX_PHDRS ? 0 : nr;
}

bool loaded_header(Elf *elf, uint32_t type, GElf_Phdr *ph)
{
	const size_t nr = nr_headers(elf);

	for (size_t i = 0; i < nr; i++)
		if (phdr_is(elf, i, type, ph))
			return true;
	return false;
}

uint64_t loaded_room(Elf *elf, uint64_t address, int64_t *at)
{
	const size_t nr = nr_headers(elf);
	GElf_Phdr ph;

	for (size_t i = 0; i < nr; i++) {
		if (!phdr_is(elf, i, PT_LOAD, &ph) || address < ph.p_vaddr || address - ph.p_vaddr >= ph.p_filesz ||
		    ph.p_filesz > INT64_MAX || ph.p_offset > INT64_MAX - ph.p_filesz)
			continue;
		*at = (int64_t)(ph.p_offset + (address - ph.p_vaddr));
		return ph.p_filesz - (address - ph.p_vaddr);
	}
	return 0;
}

Elf_Data *loaded_bytes(Elf *elf, uint64_t address, uint64_t bytes, Elf_Type type)
{
	Elf_Data *data;
	int64_t at;

	if (!bytes || bytes > MAX_BYTES || bytes > loaded_room(elf, address, &at))
		return NULL;
	data = elf_getdata_rawchunk(elf, at, bytes, type);
	return data && data->d_buf && data->d_size == bytes ? data : NULL;
}

bool loaded_code(Elf *elf, uint64_t offset, uint64_t *address)
{
	const size_t nr = nr_headers(elf);
	GElf_Phdr ph;

	for (size_t i = 0; i < nr; i++)
		if (phdr_is(elf, i, PT_LOAD, &ph) && ph.p_flags & PF_X && offset >= ph.p_offset &&
		    offset - ph.p_offset < ph.p_filesz) {
			*address = offset - ph.p_offset + ph.p_vaddr;
			return true;
		}
	return false;
}
