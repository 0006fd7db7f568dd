/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_tables.h - the tables of a pprof file: texts, functions, mappings, locations
 *
 * A message of protobuf may be written in pieces: what is repeated adds up.  So each entry goes to
 * the file when it is met first, and only its number is kept.
 */
#ifndef KFLAME_CONVERT_PPROF_TABLES_H
#define KFLAME_CONVERT_PPROF_TABLES_H

#include <stdbool.h>

#include "base/gzip.h"
#include "base/intern.h"
#include "pprof.pb-c.h"
#include "stacks/stacks.h"

/** struct pprof_met - a function that was met lately, with nothing inlined in it, and its location */
struct pprof_met {
	struct frame frame;
	struct place place;
	uint64_t location;	/* 0: nothing is here */
};

#define PPROF_MET	8192u	/* a power of two */

/**
 * struct pprof - a file on its way
 * @kernel_id:	build-id of the kernel, hexadecimal; NULL: not known
 * @met:	PPROF_MET of them; NULL where strings of frames do not stay, so that they cannot be compared
 *		by where they are. Set by the user before the first location, and freed by pprof_end()
 * @error:	0, or the errno that something failed with: the file is not whole
 */
struct pprof {
	struct gzip gzip;
	const char *kernel_id;
	struct pprof_met *met;
	int error;
	struct intern texts;
	struct intern functions;
	struct intern mappings;
	uint64_t *starts;	/* of each mapping, the address it is written at */
	size_t cap_starts;
	struct intern locations;
	uint64_t *key;		/* of a location being made */
	size_t nr_key, cap_key;
	uint8_t *packed;
	size_t cap_packed;
};

/** pprof_begin() - @out: where to.  Return: 0 or -ENOMEM; pprof_end() is due after 0 */
int pprof_begin(struct pprof *x, FILE *out);

/** pprof_end() - writes what is left, and frees.  Return: .error */
int pprof_end(struct pprof *x);

/** pprof_put() - writes a piece of the file */
void pprof_put(struct pprof *x, const Pprof__Profile *piece);

/** pprof_text() - Return: the number of a text; NULL is "" */
int64_t pprof_text(struct pprof *x, const char *text);

/**
 * pprof_location() - the location of a function and of what was inlined there
 * @frames:	of it, the function first
 * @places:	their source lines, in the same order
 * @nr:		at least 1
 *
 * Return: its number.
 */
uint64_t pprof_location(struct pprof *x, const struct frame *frames, const struct place *places,
			size_t nr);

#endif
