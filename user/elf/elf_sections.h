/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_sections.h - read the section headers of an untrusted file
 *
 * libelf allocates memory for the number of sections, and for the length of the name table, that a file
 * claims.  It does so before a caller can check the claims: a sparse file of a few KiB can cost a GiB.
 */
#ifndef KFLAME_ELF_ELF_SECTIONS_H
#define KFLAME_ELF_ELF_SECTIONS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct elf_sections - the headers of a file, converted to those of a 64-bit file */
struct elf_sections {
	bool wide;			/* a 64-bit file */
	unsigned int machine;		/* EM_* */
	uint64_t header_bytes;		/* size of the file header, which is at offset 0 */
	uint64_t phdr_at, phdr_bytes;	/* program headers: offset, and size of all */
	uint64_t shdr_at, shdr_bytes;	/* section headers: offset, and size of all */
	Elf64_Shdr *all;
	size_t nr;
	char *names;			/* section names, with a NUL after the last byte */
	size_t names_len;
};

/**
 * elf_sections_read() - read the headers of a file
 * @fd:		a file of this machine's byte order, 32-bit or 64-bit
 * @out:	the caller frees it with elf_sections_exit(), whatever is returned
 *
 * Return: 0; -ENOMEM; -ENOEXEC if it is no ELF file, is cut short, or has more sections or longer names than
 * any program.
 */
int elf_sections_read(int fd, struct elf_sections *out);

/** elf_sections_exit() - free what elf_sections_read() allocated */
void elf_sections_exit(struct elf_sections *s);

/** elf_sections_stored() - Return: whether symbol and string tables are stored data, not holes */
bool elf_sections_stored(int fd, const struct elf_sections *s);

/**
 * elf_sections_sane() - may libelf read the file?
 *
 * Call this before elf_begin().
 *
 * Return: whether the headers are valid, and libelf will not read large holes of a sparse file.
 */
bool elf_sections_sane(int fd);

/**
 * elf_segment_read() - read a program header
 * @s:		headers of the file
 * @i:		index of the program header
 * @out:	gets the header, converted to that of a 64-bit file
 *
 * Return: whether the file has such a header and it can be read
 */
bool elf_segment_read(int fd, const struct elf_sections *s, size_t i, Elf64_Phdr *out);

/** elf_section_name() - Return: the name of a section; "" if it has none */
const char *elf_section_name(const struct elf_sections *s, const Elf64_Shdr *section);

#endif
