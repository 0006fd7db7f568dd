/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse_copy.h - copy the parts of an ELF file that naming needs, so that the file can be closed
 *
 * An open file keeps its file system from being unmounted.  A system-wide recording sees files of containers
 * and of removable media, and must not block their removal.
 */
#ifndef KFLAME_ELF_SPARSE_COPY_H
#define KFLAME_ELF_SPARSE_COPY_H

#include <stddef.h>

enum {
	LIGHT_COPY_DEBUG = 1 << 0,	/* copy debug information of any size; without room for it, fail */
	LIGHT_COPY_CODE = 1 << 1,	/* copy code, too, if the copy then fits into half of the room */
};

/**
 * light_copy() - copy the headers, symbols, notes, unwind and debug information of a file
 * @fd:		the file; the caller still owns it
 * @room:	bytes that the copy may take; gets what is left
 * @with:	LIGHT_COPY_*, or 0
 *
 * Without LIGHT_COPY_DEBUG, debug information is copied only if it is small.  All copied bytes keep their
 * file offsets.  Data and most code are left out: they read as zero and take no memory.  If root makes the
 * copy, it has the owner of the file.
 *
 * Return: a descriptor that the caller closes; -1 if the file is no ELF file or is damaged, if there is not
 * enough room, or if the kernel has no memfd_create(2).
 */
int light_copy(int fd, size_t *room, unsigned int with);

#endif
