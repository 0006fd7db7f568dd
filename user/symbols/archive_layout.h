/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_layout.h - where what is in an archive, and in the directory that it was unpacked to
 *
 * By build-id as gdb, elfutils and perf have it: .build-id/ab/cdef is a program,
 * .build-id/ab/cdef.debug its debug file.  What has none is by its path below files/; the vdso
 * is files/[vdso].  Names begin with a slash here, which stands for the directory.
 */
#ifndef KFLAME_SYMBOLS_ARCHIVE_LAYOUT_H
#define KFLAME_SYMBOLS_ARCHIVE_LAYOUT_H

#include <sys/stat.h>

#include "profile/profile.h"

/** packed_is_vdso() - Return: whether it is no file, but what the kernel maps into each process */
bool packed_is_vdso(const struct profile_file *f);

/**
 * packed_name() - the name of a mapped file
 *
 * Return: the name, to be freed; NULL without memory, and where the file has no build-id and
 * its path is none that stays below a directory: it is the profile that says it.
 */
char *packed_name(const struct profile_file *f);

/**
 * packed_open() - opens a mapped file in an unpacked archive
 * @dir:	the directory
 *
 * Return: a descriptor of the caller's, of whatever has that name; -1.
 */
int packed_open(const char *dir, const struct profile_file *f, struct stat *st);

#endif
