/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_files.h - find the separate debug file of a stripped file
 */
#ifndef KFLAME_ELF_DEBUG_FILES_H
#define KFLAME_ELF_DEBUG_FILES_H

#include "elf/elf_summary.h"

/** struct debug_files - the separate debug file of a file */
struct debug_files {
	int fd;			/* -1: none */
	struct elf_summary elf;	/* of the debug file */
};

/**
 * debug_files_find() - find the debug file of a file
 * @elf:	of the file
 * @fd:		descriptor of the file; .gnu_debuglink is followed with the rights of its owner.  -1: the vDSO
 * @path:	path that the file was mapped from
 * @symbols:	directory that is searched first: an unpacked archive, or a copy of the root file system of
 *		the recorded machine; NULL: none
 * @out:	for debug_files_close()
 *
 * The order is that of gdb and elfutils:
 *  - by build-id below /usr/lib/debug/.build-id, and in the cache of debuginfod's clients
 *  - by .gnu_debuglink beside the file, in .debug beside the file, and below /usr/lib/debug
 *  - from debuginfod servers, if the user named any
 *
 * A debug file is accepted if it has the same build-id as the file.  If one of them has no build-id, the
 * debug file must have the checksum in .gnu_debuglink.
 */
void debug_files_find(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
		      struct debug_files *out);

/**
 * debug_files_find_here() - as debug_files_find(), but without servers
 *
 * Use this for a file that has its symbols, but may have its line numbers in a debug file.
 */
void debug_files_find_here(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
			   struct debug_files *out);

/**
 * debug_files_packed_name() - get the name that the debug file @d has in an archive
 * @elf:	as for debug_files_find()
 * @path:	as for debug_files_find()
 *
 * Return: the name, to be freed; NULL if memory runs out, if the name would lead out of the archive, or if
 * the file has neither a build-id that @d shares nor a .gnu_debuglink
 */
char *debug_files_packed_name(const struct elf_summary *elf, const char *path, const struct debug_files *d);

/** debug_files_close() - close the debug file */
void debug_files_close(struct debug_files *d);

#endif
