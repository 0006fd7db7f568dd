/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_records.h - source lines and inlined functions, as records
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

/** struct source_records - those of one profile */
struct source_records {
	struct records *to;
	enum source_inline wish;
	struct budget budget;	/* of time */
	char **texts;		/* each once; its id is one more than its index */
	size_t nr_texts, cap_texts;
	struct index index;
};

/** source_records_init() - begins */
void source_records_init(struct source_records *s, struct records *to, enum source_inline wish);

/** source_records_exit() - the records stay */
void source_records_exit(struct source_records *s);

/**
 * source_records_add() - TEXT and SOURCE records of one file
 * @offsets:	file offsets, sorted
 *
 * Complains of lines that are missing.  Sets @s->to->failed without memory.
 */
void source_records_add(struct source_records *s, const struct profile_file *f,
			struct binary *b, const uint64_t *offsets, size_t nr);

/**
 * source_records_add_kernel() - adds those of the kernel
 * @v:		its image, which says where it was loaded
 * @addresses:	as stacks have them, sorted
 */
void source_records_add_kernel(struct source_records *s, const struct vmlinux *v,
			       const uint64_t *addresses, size_t nr);

#endif
