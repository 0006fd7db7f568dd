/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_tables.h - writes the tables of a pprof file: strings, functions, mappings, locations
 *
 * A protobuf message may be written in pieces, because repeated fields are joined.  So each entry is written
 * when it first occurs, and only its id stays in memory.
 */
#ifndef KFLAME_CONVERT_PPROF_TABLES_H
#define KFLAME_CONVERT_PPROF_TABLES_H

#include <stdbool.h>

#include "base/gzip.h"
#include "base/intern.h"
#include "convert/protobuf.h"
#include "stacks/stacks.h"

/** struct pprof_met - a cached location: a function without inlined ones */
struct pprof_met {
	struct frame frame;
	struct place place;
	uint64_t location;	/* 0: this slot is empty */
};

#define PPROF_MET	8192u	/* a power of two */

/**
 * struct pprof - a pprof file that is being written
 * @kernel_id:	build-id of the kernel, hexadecimal; NULL: unknown
 * @met:	cache of PPROF_MET locations. The caller allocates it before the first location, and
 *		pprof_end() frees it. NULL if strings of frames do not stay: pointers cannot be compared then
 * @error:	0, or the errno of the first failure: the file is incomplete
 * @piece:	the next piece of the file: a message Profile with some of its fields
 */
struct pprof {
	struct gzip gzip;
	const char *kernel_id;
	struct pprof_met *met;
	int error;
	struct intern texts;
	struct intern functions;
	struct intern mappings;
	uint64_t *starts;	/* address of each mapping in the file */
	size_t cap_starts;
	struct intern locations;
	uint64_t *key;		/* of the location that is being made */
	size_t nr_key, cap_key;
	struct protobuf piece;
};

/** pprof_begin() - starts a file; @out: where to write.  Return: 0 or -ENOMEM; call pprof_end() after 0 */
int pprof_begin(struct pprof *x, FILE *out);

/** pprof_end() - writes the remaining tables, and frees the memory.  Return: .error */
int pprof_end(struct pprof *x);

/** pprof_put() - writes .piece, and empties it */
void pprof_put(struct pprof *x);

/**
 * pprof_text() - finds or writes a string; NULL counts as ""
 *
 * A new string is a piece of its own: .piece must be empty.
 *
 * Return: the id of the string.
 */
uint64_t pprof_text(struct pprof *x, const char *text);

/**
 * pprof_location() - finds or writes the location of a function and the functions inlined there
 * @frames:	the frames, the outer function first
 * @places:	their source lines, in the same order
 * @nr:		at least 1
 *
 * A new location is a piece of its own: .piece must be empty.
 *
 * Return: the id of the location.
 */
uint64_t pprof_location(struct pprof *x, const struct frame *frames, const struct place *places,
			size_t nr);

#endif
