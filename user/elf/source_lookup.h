/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_lookup.h - look up source lines and inlined functions in the debug data of a file
 *
 * libdw trusts what it reads, so it runs in a sandbox.  If the sandbox dies or takes too long, the lines that
 * it has not reported yet stay unknown.
 */
#ifndef KFLAME_ELF_SOURCE_LOOKUP_H
#define KFLAME_ELF_SOURCE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"

#define SOURCES_MAX_LEVELS	128	/* functions at one address; compilers make up to 40 */

/** enum source_inline - whether source lines and inlined functions are looked up */
enum source_inline {
	SOURCE_INLINE_AUTO,	/* if there is debug data, and not very much of it */
	SOURCE_INLINE_ALL,	/* if there is debug data */
	SOURCE_INLINE_NO,	/* never; views also ignore what the profile has */
};

/** struct source_level - a function at an address; .function and .source are ids that .text() returned */
struct source_level {
	uint32_t function;	/* linkage name, else the plain name; 0: not known */
	uint32_t source;	/* path; 0: not known */
	uint32_t line;		/* 0: not known */
};

/** struct source_taker - callbacks that take the results */
struct source_taker {
	/* Takes a text of @len bytes without a NUL.  Return: an id for the text; 0 stops the lookup */
	uint32_t (*text)(void *ctx, const char *text, size_t len);
	/* Takes the levels of address @i, as from inlines_find().  The index @i rises from call to call */
	void (*place)(void *ctx, size_t i, const struct source_level *levels, size_t nr);
	void *ctx;
	/* The installed libelf cannot unpack the debug data.  May be NULL */
	void (*packed)(void *ctx);
};

/** struct source_file - the file to look up addresses in */
struct source_file {
	int fd;			/* descriptor of the mapped file */
	int debug;		/* descriptor of the file that has .debug_info; may be equal to .fd */
	bool linked;		/* look up link-time addresses, not file offsets: for a vmlinux */
};

/**
 * sources_ask() - look addresses up
 * @offsets:	file offsets, or addresses if .linked is set; sorted
 * @time_ns:	time limit; gets the time that is left
 *
 * Return: 0; -ETIMEDOUT, -EIO or another negative errno if some addresses were not looked up.
 */
int sources_ask(const struct source_file *f, const uint64_t *offsets, size_t nr,
		uint64_t *time_ns, const struct source_taker *taker);

/** source_work - for sandbox_main() */
extern const struct sandbox_work source_work;

#endif
