// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_sections.c - read the section headers of an untrusted file
 */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stored.h"
#include "elf/elf_sections.h"

/* Bytes of section names: no program has more.  Files with more than 65,279 sections are refused */
#define MAX_NAMES	(1u << 20)

#define MOST_HOLE	(16u << 20)	/* bytes of a symbol or string table that may be a hole */

static bool read_all(int fd, void *to, size_t len, uint64_t at)
{
	unsigned char *p = to;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static void widen_header(Elf64_Ehdr *to, const Elf32_Ehdr *from)
{
	to->e_machine = from->e_machine;
	to->e_phoff = from->e_phoff;
	to->e_shoff = from->e_shoff;
	to->e_ehsize = from->e_ehsize;
	to->e_phentsize = from->e_phentsize;
	to->e_phnum = from->e_phnum;
	to->e_shentsize = from->e_shentsize;
	to->e_shnum = from->e_shnum;
	to->e_shstrndx = from->e_shstrndx;
}

static void widen_section(Elf64_Shdr *to, const Elf32_Shdr *from)
{
	*to = (Elf64_Shdr){
		.sh_name = from->sh_name, .sh_type = from->sh_type, .sh_flags = from->sh_flags,
		.sh_addr = from->sh_addr, .sh_offset = from->sh_offset, .sh_size = from->sh_size,
		.sh_link = from->sh_link, .sh_info = from->sh_info,
		.sh_addralign = from->sh_addralign, .sh_entsize = from->sh_entsize,
	};
}

/* Return: whether the header has a supported format; @wide: it is a 64-bit file */
static bool read_header(int fd, Elf64_Ehdr *eh, bool *wide)
{
	const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	Elf32_Ehdr narrow;

	if (!read_all(fd, &narrow, sizeof(narrow), 0) ||
	    memcmp(narrow.e_ident, ELFMAG, SELFMAG) || narrow.e_ident[EI_DATA] != order)
		return false;
	*wide = narrow.e_ident[EI_CLASS] == ELFCLASS64;
	if (*wide)
		return read_all(fd, eh, sizeof(*eh), 0) && eh->e_ehsize == sizeof(*eh) &&
		       (!eh->e_shnum || eh->e_shentsize == sizeof(Elf64_Shdr)) &&
		       (!eh->e_phnum || eh->e_phentsize == sizeof(Elf64_Phdr));
	widen_header(eh, &narrow);
	return narrow.e_ident[EI_CLASS] == ELFCLASS32 && eh->e_ehsize == sizeof(narrow) &&
	       (!eh->e_shnum || eh->e_shentsize == sizeof(Elf32_Shdr)) &&
	       (!eh->e_phnum || eh->e_phentsize == sizeof(Elf32_Phdr));
}

static int read_headers(int fd, const Elf64_Ehdr *eh, bool wide, struct elf_sections *out)
{
	Elf32_Shdr narrow;

	/* One element more: a file without sections needs a non-NULL array, too */
	out->all = calloc((size_t)eh->e_shnum + 1, sizeof(*out->all));
	if (!out->all)
		return -ENOMEM;
	out->nr = eh->e_shnum;
	if (wide)
		return read_all(fd, out->all, out->nr * sizeof(*out->all), eh->e_shoff) ?
			0 : -ENOEXEC;
	for (size_t i = 0; i < out->nr; i++) {
		if (!read_all(fd, &narrow, sizeof(narrow), eh->e_shoff + i * sizeof(narrow)))
			return -ENOEXEC;
		widen_section(&out->all[i], &narrow);
	}
	return 0;
}

static int read_names(int fd, size_t index, struct elf_sections *out)
{
	const Elf64_Shdr *names = &out->all[index];

	if (!index)
		return 0;
	if (index >= out->nr || names->sh_type != SHT_STRTAB || names->sh_size > MAX_NAMES)
		return -ENOEXEC;
	out->names = calloc(1, (size_t)names->sh_size + 1);
	if (!out->names)
		return -ENOMEM;
	out->names_len = (size_t)names->sh_size;
	return read_all(fd, out->names, out->names_len, names->sh_offset) ? 0 : -ENOEXEC;
}

int elf_sections_read(int fd, struct elf_sections *out)
{
	Elf64_Ehdr eh = { 0 };
	int err;

	memset(out, 0, sizeof(*out));
	if (!read_header(fd, &eh, &out->wide))
		return -ENOEXEC;
	/* Refuse files whose section 0 holds the number of sections */
	if ((!eh.e_shnum && eh.e_shoff) || (eh.e_shnum && eh.e_shstrndx >= eh.e_shnum))
		return -ENOEXEC;
	out->machine = eh.e_machine;
	out->header_bytes = eh.e_ehsize;
	out->phdr_at = eh.e_phoff;
	out->phdr_bytes = (uint64_t)eh.e_phnum * eh.e_phentsize;
	out->shdr_at = eh.e_shoff;
	out->shdr_bytes = (uint64_t)eh.e_shnum * eh.e_shentsize;
	err = read_headers(fd, &eh, out->wide, out);
	return err ? err : read_names(fd, eh.e_shstrndx, out);
}

void elf_sections_exit(struct elf_sections *s)
{
	free(s->all);
	free(s->names);
	memset(s, 0, sizeof(*s));
}

/* In a sparse file, libelf would read gigabytes of zeros */
static bool is_mostly_hole(const Elf64_Shdr *sh, const struct stat *st)
{
	return (sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM || sh->sh_type == SHT_STRTAB) &&
	       sh->sh_size > MOST_HOLE && sh->sh_size > stored_bytes(st);
}

bool elf_sections_stored(int fd, const struct elf_sections *s)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	for (size_t i = 0; i < s->nr; i++)
		if (is_mostly_hole(&s->all[i], &st))
			return false;
	return true;
}

bool elf_sections_sane(int fd)
{
	struct elf_sections s;
	bool sane = !elf_sections_read(fd, &s) && elf_sections_stored(fd, &s);

	elf_sections_exit(&s);
	return sane;
}

bool elf_segment_read(int fd, const struct elf_sections *s, size_t i, Elf64_Phdr *out)
{
	size_t each = s->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	Elf32_Phdr narrow;

	if (i >= s->phdr_bytes / each)
		return false;
	if (s->wide)
		return read_all(fd, out, sizeof(*out), s->phdr_at + i * each);
	if (!read_all(fd, &narrow, sizeof(narrow), s->phdr_at + i * each))
		return false;
	*out = (Elf64_Phdr){
		.p_type = narrow.p_type, .p_flags = narrow.p_flags, .p_offset = narrow.p_offset,
		.p_vaddr = narrow.p_vaddr, .p_paddr = narrow.p_paddr, .p_filesz = narrow.p_filesz,
		.p_memsz = narrow.p_memsz, .p_align = narrow.p_align,
	};
	return true;
}

const char *elf_section_name(const struct elf_sections *s, const Elf64_Shdr *section)
{
	return section->sh_name < s->names_len ? s->names + section->sh_name : "";
}
