/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - asks a file's debug data for source lines and inlined functions
 *
 * The tool runs as root and looks at anybody's programs; libdw trusts what it reads.  So
 * another process does it, which may die or take too long: then what it has not told yet
 * stays unknown.
 */
#ifndef KFLAME_SOURCES_H
#define KFLAME_SOURCES_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf_symbols.h"

#define SOURCES_MAX_LEVELS	128	/* functions at one address; compilers make up to 40 */

/** struct source_level - a function at an address; the numbers are those of .text() */
struct source_level {
	uint32_t function;	/* linkage name, else the plain one; 0: not known */
	uint32_t source;	/* path; 0: not known */
	uint32_t line;		/* 0: not known */
};

/** struct source_taker - takes what is found */
struct source_taker {
	/* A text of @len bytes, none of them 0. Return: a number for it; 0 ends it all. */
	uint32_t (*text)(void *ctx, const char *text, size_t len);
	/* Address number @i, rising from call to call; levels as inlines_find() gives them */
	void (*place)(void *ctx, size_t i, const struct source_level *levels, size_t nr);
	void *ctx;
};

/** struct source_file - what to look at */
struct source_file {
	Elf *elf;		/* has .debug_info */
	int fd;			/* of .elf */
	const struct elf_segment *segments;	/* where code is in the mapped file */
	size_t nr_segments;
};

/** sources_bytes() - Return: bytes of .debug_info, unpacked; 0 where there is none */
uint64_t sources_bytes(Elf *elf);

/**
 * sources_ask() - looks addresses up
 * @addresses:	of the file, sorted
 * @time_ns:	how long it may take; what it took is taken away
 *
 * Return: 0; -ETIMEDOUT, -EIO or another negative errno where not all was told.
 */
int sources_ask(const struct source_file *f, const uint64_t *addresses, size_t nr,
		uint64_t *time_ns, const struct source_taker *taker);

#endif
