// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libelf_section.c - get sections of an ELF file by name
 */
#include <string.h>

#include "elf/elf_sections.h"
#include "elf/libelf_section.h"

Elf *section_open(int fd)
{
	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE || !elf_sections_sane(fd))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

Elf_Scn *section_next(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, sh))
			continue;
		*name = elf_strptr(elf, names, sh->sh_name);
		if (*name)
			break;
	}
	return scn;
}

Elf_Data *section_load(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t *left, bool raw)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_size > *left)
		return NULL;
	*left -= sh->sh_size;
	return raw ? elf_rawdata(scn, NULL) : elf_getdata(scn, NULL);
}

bool section_strings_end(Elf *elf, size_t section, uint64_t *left)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data = NULL;
	GElf_Shdr sh;

	if (scn && gelf_getshdr(scn, &sh))
		data = section_load(scn, &sh, left, false);

	return data && data->d_buf && data->d_size &&
	       !((const char *)data->d_buf)[data->d_size - 1];
}

/* The check makes libelf decompress a section: do that for small sections only */
#define MOST_TRIED	(1u << 20)
#define ZSTD		2	/* ELFCOMPRESS_ZSTD, which older headers do not have */

bool section_debug_is_packed(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	GElf_Chdr ch;

	while ((scn = section_next(elf, scn, &sh, &name)))
		if (sh.sh_flags & SHF_COMPRESSED && !strncmp(name, ".debug_", 7) &&
		    sh.sh_size <= MOST_TRIED && gelf_getchdr(scn, &ch) && ch.ch_type == ZSTD &&
		    ch.ch_size <= MOST_TRIED)
			return elf_compress(scn, 0, 0) < 0;
	return false;
}

Elf_Data *section_data(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	const char *its;
	GElf_Shdr sh;

	while ((scn = section_next(elf, scn, &sh, &its)))
		if (!strcmp(its, name))
			return sh.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
	return NULL;
}
