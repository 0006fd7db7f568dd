/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_sections.h - the section headers of a file that nobody vouches for
 *
 * libelf takes memory for as many sections as a file says it has, and for a name table as
 * long as it says, before anybody can look: a sparse file of a few KiB costs it a GiB.
 */
#ifndef KFLAME_ELF_ELF_SECTIONS_H
#define KFLAME_ELF_ELF_SECTIONS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct elf_sections - a file's headers, as those of a 64-bit file */
struct elf_sections {
	bool wide;			/* a 64-bit file */
	unsigned int machine;		/* EM_* */
	uint64_t header_bytes;		/* of the file header, which is at 0 */
	uint64_t phdr_at, phdr_bytes;	/* program headers: where, and of all */
	uint64_t shdr_at, shdr_bytes;	/* the same of section headers */
	Elf64_Shdr *all;
	size_t nr;
	char *names;			/* NUL after the last byte */
	size_t names_len;
};

/**
 * elf_sections_read() - reads them
 * @fd:		a file of this machine's byte order, 32 or 64 bits
 * @out:	to be freed with elf_sections_exit() whatever is returned
 *
 * Return: 0; -ENOEXEC where it is no ELF file, is cut short, or has more sections or longer
 * names than programs have; -ENOMEM.
 */
int elf_sections_read(int fd, struct elf_sections *out);

/** elf_sections_exit() - frees what elf_sections_read() took */
void elf_sections_exit(struct elf_sections *s);

/** elf_sections_stored() - Return: whether symbol and string tables are data, not holes of a sparse file */
bool elf_sections_stored(int fd, const struct elf_sections *s);

/**
 * elf_sections_sane() - Return: whether libelf can read the file without taking more memory than the file has bytes
 *
 * To be asked before elf_begin().
 */
bool elf_sections_sane(int fd);

/**
 * elf_segment_read() - read a program header
 * @s:		of the file
 * @i:		its index
 * @out:	the header, as of a 64-bit file
 *
 * Return: whether there is one of that index that can be read
 */
bool elf_segment_read(int fd, const struct elf_sections *s, size_t i, Elf64_Phdr *out);

/** elf_section_name() - Return: the name of a section, "" for none */
const char *elf_section_name(const struct elf_sections *s, const Elf64_Shdr *section);

#endif
