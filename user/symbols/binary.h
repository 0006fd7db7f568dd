/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binary.h - a mapped file, found again and opened for its names
 */
#ifndef KFLAME_BINARY_H
#define KFLAME_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "profile.h"
#include "symbols/sources.h"

struct binary;

/**
 * binary_open_file() - finds the file that was mapped
 * @f:		what the profile says of it
 * @symbols:	directory that an archive was unpacked to, looked into first; NULL for none
 * @state:	KFLAME_NAMED_GONE or _CHANGED where it is not to be had
 *
 * The one place that knows how a mapped file is come by: from the archive (packed.h), and by
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
 * binary_open() - reads a mapped file's symbols
 * @f:		what the profile says of it
 * @fd:		of binary_open_file(), stays the caller's and must stay open; -1
 *		to have it found.  Not used for the vdso, which this process has too
 * @symbols:	as for binary_open_file(), for its debug file, too; stays the caller's and must
 *		stay there
 * @out:	the binary, for binary_close()
 *
 * Return: 0, also where there is nothing to be had (binary_state()); -ENOMEM.
 */
int binary_open(const struct profile_file *f, int fd, const char *symbols, struct binary **out);

/** binary_close() - frees it; takes NULL */
void binary_close(struct binary *b);

/** binary_state() - Return: KFLAME_NAMED_* */
uint32_t binary_state(const struct binary *b);

/** binary_is_packed() - Return: whether it has debug data that the installed libelf cannot unpack */
bool binary_is_packed(const struct binary *b);

/**
 * binary_function() - the function at a file offset
 * @start:	its first byte, a file offset
 * @end:	one past the last
 *
 * Return: its name; where no symbol tells it, but the unwind information that there is a function,
 * "[stripped: FILE+0xOFFSET]" with the offset of its first byte: it is one function in all views
 * then. The byte before a function has its name, if it is in no other function: callers are looked
 * up less one. Valid until the next call. NULL for none.
 */
const char *binary_function(struct binary *b, uint64_t offset, uint64_t *start, uint64_t *end);

/**
 * binary_sources() - source lines and inlined functions, where debug data is here
 * @offsets:	file offsets, sorted
 * @wish:	PROFILE_INLINE_AUTO: not where there is very much debug data
 * @time_ns:	as sources_ask() has it
 *
 * Return: 0, also where there is none; as sources_ask() has it, where not all was told.
 */
int binary_sources(struct binary *b, const uint64_t *offsets, size_t nr,
		   enum profile_inline wish, uint64_t *time_ns,
		   const struct source_taker *taker);

/** binary_leaf() - does a leaf without a frame stand there? See cfi_leaf(). */
bool binary_leaf(struct binary *b, uint64_t offset);

#endif
