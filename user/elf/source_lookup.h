/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_lookup.h - asks a file's debug data for source lines and inlined functions
 *
 * libdw trusts what it reads, so a sandbox does it.  If the sandbox dies or takes too long, the lines that it
 * has not answered yet stay unknown.
 */
#ifndef KFLAME_ELF_SOURCE_LOOKUP_H
#define KFLAME_ELF_SOURCE_LOOKUP_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"

#define SOURCES_MAX_LEVELS	128	/* functions at one address; compilers make up to 40 */

/** enum source_inline - whether source lines and inlined functions are looked up */
enum source_inline {
	SOURCE_INLINE_AUTO,	/* where debug data is here, and is not very much */
	SOURCE_INLINE_ALL,	/* wherever it is here */
	SOURCE_INLINE_NO,	/* nowhere; views leave out what is in the profile */
};

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
	int fd;			/* of the mapped file */
	int debug;		/* of the file that has .debug_info; may be .fd */
	bool linked;		/* addresses as the file was linked, not file offsets: a vmlinux */
};

/**
 * sources_ask() - looks addresses up
 * @offsets:	file offsets, or addresses with .linked; sorted
 * @time_ns:	how long it may take; what it took is taken away
 *
 * Return: 0; -ETIMEDOUT, -EIO or another negative errno where not all was answered.
 */
int sources_ask(const struct source_file *f, const uint64_t *offsets, size_t nr,
		uint64_t *time_ns, const struct source_taker *taker);

/** source_work - for sandbox_main() */
extern const struct sandbox_work source_work;

#endif
