/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_records.h - makes records of source lines and inlined functions
 */
#ifndef KFLAME_SYMBOLS_SOURCE_RECORDS_H
#define KFLAME_SYMBOLS_SOURCE_RECORDS_H

#include "base/budget.h"
#include "base/hash.h"
#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "symbols/mapped_file.h"
#include "symbols/vmlinux.h"

/** struct source_records - the state for one profile */
struct source_records {
	struct records *to;
	enum source_inline wish;
	struct budget budget;	/* time limits */
	char **texts;		/* distinct; the id of a text is its index plus 1 */
	size_t nr_texts, cap_texts;
	struct index index;
};

/** source_records_init() - begins; the records are added to @to */
void source_records_init(struct source_records *s, struct records *to, enum source_inline wish);

/** source_records_exit() - frees the state, not the records */
void source_records_exit(struct source_records *s);

/**
 * source_records_add() - adds the TEXT and SOURCE records of one file
 * @offsets:	file offsets, sorted
 *
 * Prints a message if lines are missing.  Sets @s->to->failed if memory runs out.
 *
 * Return: whether the installed libelf cannot unpack the debug data.
 */
bool source_records_add(struct source_records *s, const struct profile_file *f,
			struct binary *b, const uint64_t *offsets, size_t nr);

/**
 * source_records_add_kernel() - adds the TEXT and SOURCE records of the kernel
 * @v:		its image, whose load address is known
 * @addresses:	addresses as in stacks, sorted
 */
void source_records_add_kernel(struct source_records *s, const struct vmlinux *v,
			       const uint64_t *addresses, size_t nr);

#endif
