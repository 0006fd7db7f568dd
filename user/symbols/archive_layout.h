/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_layout.h - the names of files in an archive, and in the directory it is unpacked to
 *
 * Files with a build-id are named as in gdb, elfutils and perf: .build-id/ab/cdef is a program,
 * .build-id/ab/cdef.debug its debug file.  A file without a build-id has its path below files/.  The
 * vdso is files/[vdso].  Names here begin with a slash, which stands for the directory.
 */
#ifndef KFLAME_SYMBOLS_ARCHIVE_LAYOUT_H
#define KFLAME_SYMBOLS_ARCHIVE_LAYOUT_H

#include <sys/stat.h>

#include "profile/profile.h"

/** packed_is_vdso() - Return: whether @f is the vdso, which the kernel maps into each process */
bool packed_is_vdso(const struct profile_file *f);

/**
 * packed_name() - the name of a mapped file in an archive
 *
 * The path comes from the profile, which may be hostile.  A path that leaves the directory is refused.
 *
 * Return: the name, to be freed; NULL without memory, or if the file has no build-id and its path would
 * leave the directory.
 */
char *packed_name(const struct profile_file *f);

/**
 * packed_open() - opens a mapped file in an unpacked archive
 * @dir:	the directory
 *
 * Return: a descriptor that the caller closes; -1. The caller must check that it is the right file.
 */
int packed_open(const char *dir, const struct profile_file *f, struct stat *st);

#endif
