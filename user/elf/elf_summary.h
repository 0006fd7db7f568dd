/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_summary.h - what the tool itself reads from an untrusted ELF file
 *
 * The tool may run as root.  So it reads headers and notes with this code, which reads a bounded number of
 * bytes.  A sandbox (sandbox/sandbox.h) reads everything else of such a file, with libelf and libdw.
 */
#ifndef KFLAME_ELF_ELF_SUMMARY_H
#define KFLAME_ELF_ELF_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SUMMARY_ID	64	/* bytes of the longest build-id */

/** struct elf_summary - the summary of one file; all zero for a file that is no ELF file */
struct elf_summary {
	bool is_elf;			/* of this machine's byte order, and elf_sections_sane() */
	bool has_symtab;
	bool has_mini_debug;		/* .gnu_debugdata */
	unsigned char id[ELF_SUMMARY_ID];	/* build-id */
	size_t id_len;			/* 0: the file has none, or a longer one */
	char link[256];			/* file name in .gnu_debuglink, without a slash; "" for none */
	uint32_t crc;			/* checksum in .gnu_debuglink */
	uint64_t debug_bytes;		/* uncompressed size of .debug_info; 0: none */
};

/**
 * elf_summary_read() - read the summary of a file
 * @fd:		the caller still owns it; its position does not change
 *
 * Return: @out->is_elf
 */
bool elf_summary_read(int fd, struct elf_summary *out);

/**
 * elf_summary_symbols_elsewhere() - Return: whether a debug file or MiniDebugInfo may have more symbols
 *
 * This is so for a file that has no .symtab, names a debug file, or has MiniDebugInfo.
 */
bool elf_summary_symbols_elsewhere(const struct elf_summary *s);

/**
 * elf_summary_interpreter() - get the dynamic loader that a program requests
 * @path:	gets the path, with a NUL
 * @room:	bytes of @path
 *
 * Return: whether the program requests one, and its path fits
 */
bool elf_summary_interpreter(int fd, char *path, size_t room);

#endif
