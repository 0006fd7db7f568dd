/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_summary.h - what the tool itself must know of an ELF file that anybody may have written
 *
 * The tool may run as root.  So it reads headers and notes by this code, which reads a bounded number of bytes.  A
 * sandbox (sandbox/sandbox.h) finds out all else about such a file, by libelf and libdw.
 */
#ifndef KFLAME_ELF_ELF_SUMMARY_H
#define KFLAME_ELF_ELF_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SUMMARY_ID	64	/* bytes of the longest build-id */

/** struct elf_summary - of one file; all zero for a file that is no ELF file */
struct elf_summary {
	bool is_elf;			/* of this machine's byte order, and elf_sections_sane() */
	bool has_symtab;
	bool has_mini_debug;		/* .gnu_debugdata */
	unsigned char id[ELF_SUMMARY_ID];	/* build-id */
	size_t id_len;			/* 0: the file has none, or a longer one */
	char link[256];			/* file name in .gnu_debuglink, without a slash; "" for none */
	uint32_t crc;			/* checksum in .gnu_debuglink */
	uint64_t debug_bytes;		/* of .debug_info after unpacking; 0: none */
};

/**
 * elf_summary_read() - read the summary of a file
 * @fd:		stays the caller's; its position does not change
 *
 * Return: @out->is_elf
 */
bool elf_summary_read(int fd, struct elf_summary *out);

/**
 * elf_summary_symbols_elsewhere() - Return: whether there may be more symbols in another file or in MiniDebugInfo
 *
 * True for a file without a .symtab, and for one that names its debug file or has MiniDebugInfo.
 */
bool elf_summary_symbols_elsewhere(const struct elf_summary *s);

/**
 * elf_summary_interpreter() - the dynamic loader that a program asks for
 * @path:	gets it, with a NUL
 * @room:	bytes of @path
 *
 * Return: whether it asks for one that fits
 */
bool elf_summary_interpreter(int fd, char *path, size_t room);

#endif
