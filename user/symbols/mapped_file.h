/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h - find a mapped file again, and its debug file
 */
#ifndef KFLAME_SYMBOLS_MAPPED_FILE_H
#define KFLAME_SYMBOLS_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "elf/source_lookup.h"
#include "profile/profile.h"

struct binary;

/**
 * binary_open_file() - finds the file that was mapped
 * @f:		what the profile says of it
 * @symbols:	directory that an archive was unpacked to, looked into first; NULL for none
 * @state:	KFLAME_NAMED_GONE or _CHANGED where it is not to be had
 *
 * Only this function finds mapped files: in the archive (archive_layout.h), and by
 * its path, if what is there is still the same file.
 *
 * Return: a descriptor of the caller's; -1 with @state.
 */
int binary_open_file(const struct profile_file *f, const char *symbols, uint32_t *state);

/** binary_is_file() - Return: whether @fd, of which @st is, is what the profile says of @f */
bool binary_is_file(const struct profile_file *f, int fd, const struct stat *st);

/** binary_copy_vdso() - Return: a copy of the vdso, if this kernel's is the one; -1 */
int binary_copy_vdso(const struct profile_file *f);

/**
 * binary_open() - find a mapped file, and its debug file if it may need one
 * @f:		what the profile says of the file
 * @fd:		of binary_open_file(); the caller still owns it, and it must stay open; -1 to look for
 *		the file.  Not used for the vDSO, which this process has too
 * @symbols:	as for binary_open_file(), also for the debug file; must stay there
 * @out:	the binary, for binary_close()
 *
 * This reads section headers and build-ids.  Only sandboxes parse the rest of a file.
 *
 * Return: 0, also if the file is not there (binary_state()); -ENOMEM.
 */
int binary_open(const struct profile_file *f, int fd, const char *symbols, struct binary **out);

/** binary_close() - free it; takes NULL */
void binary_close(struct binary *b);

/** binary_state() - Return: why there is no binary_fd(): KFLAME_NAMED_GONE, _CHANGED or _DAMAGED */
uint32_t binary_state(const struct binary *b);

/** binary_owner() - Return: the user who owns the file, and may have written it; root if it is not there */
uid_t binary_owner(const struct binary *b);

/** binary_base() - Return: name of the file, without its directory */
const char *binary_base(const struct binary *b);

/** binary_fd() - Return: the open file; -1 if it is not there, or is no ELF file */
int binary_fd(const struct binary *b);

/** binary_debug_fd() - Return: its open debug file; -1 if there is none */
int binary_debug_fd(const struct binary *b);

/**
 * binary_look_for_debug() - look for the debug file, unless that was done before
 *
 * Return: whether there is one now.
 */
bool binary_look_for_debug(struct binary *b);

/**
 * binary_sources() - source lines and inlined functions, if debug data is here
 * @offsets:	file offsets, sorted
 * @wish:	SOURCE_INLINE_AUTO: not if there is very much debug data
 * @time_ns:	as for sources_ask()
 *
 * Return: 0, also if there is no debug data; as sources_ask() if some are missing.
 */
int binary_sources(struct binary *b, const uint64_t *offsets, size_t nr,
		   enum source_inline wish, uint64_t *time_ns,
		   const struct source_taker *taker);

#endif
