/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_files.h - where else the symbols of a stripped file are
 */
#ifndef KFLAME_ELF_DEBUG_FILES_H
#define KFLAME_ELF_DEBUG_FILES_H

#include "elf/elf_summary.h"

/** struct debug_files - the separate debug file of a file */
struct debug_files {
	int fd;			/* -1: none */
	struct elf_summary elf;	/* of it */
};

/**
 * debug_files_find() - looks for the debug file of a file
 * @elf:	of the file
 * @fd:		its descriptor; .gnu_debuglink is followed with the rights of its owner. -1: the vDSO
 * @path:	where it was mapped from
 * @symbols:	directory that an archive was unpacked to, looked into first; NULL for none
 * @out:	for debug_files_close()
 *
 * In the order of gdb and elfutils: by build-id below /usr/lib/debug/.build-id and in the
 * cache of debuginfod's clients; by .gnu_debuglink beside the file, in .debug beside
 * it, and below /usr/lib/debug; from debuginfod's servers, where the user named some.  A
 * debug file is taken if it has the build-id of the file, or where one of them has none, if
 * it has the checksum in .gnu_debuglink.
 */
void debug_files_find(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
		      struct debug_files *out);

/**
 * debug_files_find_here() - as debug_files_find(), but asks no server
 *
 * For a file that has its symbols, and may have its lines elsewhere.
 */
void debug_files_find_here(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
			   struct debug_files *out);

/**
 * debug_files_packed_name() - the name in an archive under which @d's debug file is found again
 * @elf:	as for debug_files_find()
 * @path:	as for debug_files_find()
 *
 * Return: to be freed; NULL without memory, and if its path would lead out of the archive
 */
char *debug_files_packed_name(const struct elf_summary *elf, const char *path, const struct debug_files *d);

/** debug_files_close() - closes it */
void debug_files_close(struct debug_files *d);

#endif
