/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h - finds a mapped file and its debug file
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
 * @f:		the file's record in the profile
 * @symbols:	directory that is searched first: an unpacked archive, or a copy of the root file system of
 *		the recorded machine; NULL for none
 * @state:	out: KFLAME_NAMED_GONE or _CHANGED if the file was not found
 *
 * Only this function finds mapped files.  It searches the archive (archive_layout.h), then the path in
 * @symbols, then the path on this machine.  Each must be the file that was mapped.
 *
 * Return: a descriptor that the caller closes; -1 with @state.
 */
int binary_open_file(const struct profile_file *f, const char *symbols, uint32_t *state);

/** binary_is_file() - Return: whether @fd is the file that the profile describes in @f; @st: of @fd */
bool binary_is_file(const struct profile_file *f, int fd, const struct stat *st);

/** binary_copy_vdso() - Return: descriptor of a copy of our vDSO, if @f is not another vDSO; -1 */
int binary_copy_vdso(const struct profile_file *f);

/**
 * binary_open() - finds a mapped file, and its debug file if it may need one
 * @f:		the file's record in the profile
 * @fd:		from binary_open_file(); the caller keeps it open until binary_close(); -1 to search for
 *		the file.  Ignored for the vDSO, which this process has too
 * @symbols:	as for binary_open_file(), also for the debug file; must stay valid
 * @out:	the binary, for binary_close()
 *
 * This function reads section headers and build-ids.  Only sandboxes parse the rest of a file.
 *
 * Return: 0, even if the file is not there (binary_state()); -ENOMEM.
 */
int binary_open(const struct profile_file *f, int fd, const char *symbols, struct binary **out);

/** binary_close() - frees it; does nothing for NULL */
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
 * binary_look_for_debug() - searches for the debug file, unless that was done before
 *
 * Return: whether this call found a debug file.
 */
bool binary_look_for_debug(struct binary *b);

/**
 * binary_sources() - looks up source lines and inlined functions, if debug data is here
 * @offsets:	file offsets, sorted
 * @wish:	SOURCE_INLINE_AUTO: skip a file with too much debug data
 * @time_ns:	as for sources_ask()
 *
 * Return: 0, even if there is no debug data; as sources_ask() if some lines are missing.
 */
int binary_sources(struct binary *b, const uint64_t *offsets, size_t nr,
		   enum source_inline wish, uint64_t *time_ns,
		   const struct source_taker *taker);

#endif
