/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse_copy.h - what names need of an ELF file, in memory, so that the file can be let go
 *
 * An open file keeps its file system from being unmounted. A system-wide recording sees the
 * files of containers and of media that come and go, and must not hold them up.
 */
#ifndef KFLAME_ELF_SPARSE_COPY_H
#define KFLAME_ELF_SPARSE_COPY_H

#include <stddef.h>

enum {
	LIGHT_COPY_DEBUG = 1 << 0,	/* no copy rather than one without debug information */
	LIGHT_COPY_CODE = 1 << 1,	/* code, too, if it fits into half of the room */
};

/**
 * light_copy() - copies a file's headers, symbols, notes, unwind and debug information
 * @fd:		the file, the caller's
 * @room:	bytes that may be taken; gets what is left
 * @with:	LIGHT_COPY_*, or 0
 *
 * Without LIGHT_COPY_DEBUG debug information only where that is little.  Everything has the offset it
 * has in the file; what is left out, data and mostly code, reads as zero and takes no memory.  The copy
 * has the owner that the file has, if root makes it.
 *
 * Return: a descriptor of the caller's; -1 where it is no ELF file, is damaged, or where there
 * is not the room, or the kernel has no memfd_create(2).
 */
int light_copy(int fd, size_t *room, unsigned int with);

#endif
