// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - an ELF file: its .eh_frame, the entries there, its symbols.  Complete: read it, do not change it. */
#include "eh.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const Elf64_Shdr *section(const struct file *file, unsigned int i)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->map;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file->map + head->e_shoff);

	return i < head->e_shnum && sections[i].sh_offset <= file->size &&
			       sections[i].sh_size <= file->size - sections[i].sh_offset ?
		       &sections[i] :
		       NULL;
}

static const Elf64_Shdr *section_by_name(const struct file *file, const char *name)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->map;
	const Elf64_Shdr *names = section(file, head->e_shstrndx);

	for (unsigned int i = 0; names && i < head->e_shnum; i++) {
		const Elf64_Shdr *each = section(file, i);

		if (each && each->sh_name < names->sh_size &&
		    !strcmp((const char *)file->map + names->sh_offset + each->sh_name, name))
			return each;
	}
	return NULL;
}

bool file_open(struct file *file, const char *path)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Ehdr *head;
	const Elf64_Shdr *found;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*head))
		return false;
	file->size = st.st_size;
	file->map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file->map == MAP_FAILED)
		return false;
	head = (const Elf64_Ehdr *)file->map;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_machine != EM_X86_64 ||
	    head->e_shoff > file->size || head->e_shnum > (file->size - head->e_shoff) / sizeof(*found))
		return false;
	found = section_by_name(file, ".eh_frame");
	if (!found)
		return false;
	file->eh_frame.at = file->map + found->sh_offset;
	file->eh_frame.end = file->eh_frame.at + found->sh_size;
	file->eh_frame_address = found->sh_addr;
	return true;
}

/* A number of a few bytes, lowest first */
static uint64_t read_bytes(struct bytes *bytes, unsigned int nr)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < nr && bytes->at < bytes->end; i++)
		value |= (uint64_t)*bytes->at++ << 8 * i;
	return value;
}

/* Split off the next entry: its id, and the bytes behind it.  Return: false at the end. */
static bool next_entry(struct bytes *all, const uint8_t **id_at, uint64_t *id, struct bytes *body)
{
	uint64_t length = read_bytes(all, 4);

	if (length < 4 || length > (size_t)(all->end - all->at))
		return false;
	body->at = all->at;
	body->end = all->at + length;
	all->at = body->end;
	*id_at = body->at;
	*id = read_bytes(body, 4);
	return true;
}

/* The CIE whose length field is there.  How its FDEs have their addresses goes to encoding. */
static bool read_cie(const struct file *file, const uint8_t *at, struct cie *cie, uint8_t *encoding, bool *has_data)
{
	struct bytes all = { at, file->eh_frame.end }, body, data = { 0 };
	const uint8_t *id_at;
	const char *augmentation;
	uint64_t id;

	if (at < file->eh_frame.at || !next_entry(&all, &id_at, &id, &body) || id)
		return false;
	body.at++; /* the version */
	augmentation = (const char *)body.at;
	while (body.at < body.end && *body.at)
		body.at++;
	body.at++;
	cie->code_factor = read_uleb(&body);
	cie->data_factor = read_sleb(&body);
	cie->return_register = read_uleb(&body);
	*encoding = 0;
	*has_data = *augmentation == 'z';
	if (*has_data) {
		uint64_t length = read_uleb(&body);

		if (body.at > body.end || length > (size_t)(body.end - body.at))
			return false;
		data = (struct bytes){ body.at, body.at + length };
		body.at += length;
		for (augmentation++; *augmentation; augmentation++) {
			if (*augmentation == 'R')
				*encoding = read_bytes(&data, 1);
			else if (*augmentation == 'P')
				read_bytes(&data, (read_bytes(&data, 1) & 7) == 3 ? 4 : 8);
			else if (*augmentation == 'L')
				read_bytes(&data, 1);
		}
	}
	cie->instructions = body;
	return true;
}

/* The encoding of all common compilers: 4 bytes with sign, relative to where they are */
static const uint8_t pcrel_sdata4 = 0x1b;

void file_each(const struct file *file, void (*call)(const struct fde *fde, void *data), void *data)
{
	struct bytes all = file->eh_frame, body;
	const uint8_t *id_at;
	uint64_t id;

	while (next_entry(&all, &id_at, &id, &body)) {
		uint8_t encoding;
		struct fde fde;
		bool has_data;

		/* An id of 0 is a CIE; else it says how far back the CIE is */
		if (!id || !read_cie(file, id_at - id, &fde.cie, &encoding, &has_data) || encoding != pcrel_sdata4)
			continue;
		fde.begin = file->eh_frame_address + (body.at - file->eh_frame.at);
		fde.begin += (int64_t)(int32_t)read_bytes(&body, 4);
		fde.size = read_bytes(&body, 4);
		if (has_data) {
			uint64_t length = read_uleb(&body);

			if (length > (size_t)(body.end - body.at))
				continue;
			body.at += length;
		}
		fde.instructions = body;
		call(&fde, data);
	}
}

struct search {
	uint64_t address;
	struct fde *fde;
	bool found;
};

static void compare(const struct fde *fde, void *data)
{
	struct search *search = data;

	if (search->address - fde->begin < fde->size) {
		*search->fde = *fde;
		search->found = true;
	}
}

bool file_find(const struct file *file, uint64_t address, struct fde *fde)
{
	struct search search = { address, fde, false };

	file_each(file, compare, &search);
	return search.found;
}

const char *file_name(const struct file *file, uint64_t address)
{
	const Elf64_Shdr *table = section_by_name(file, ".symtab");
	const Elf64_Shdr *names = table ? section(file, table->sh_link) : NULL;

	for (size_t i = 0; names && i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(file->map + table->sh_offset) + i;

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && address - symbol->st_value < symbol->st_size &&
		    symbol->st_name < names->sh_size)
			return (const char *)file->map + names->sh_offset + symbol->st_name;
	}
	return "?";
}
