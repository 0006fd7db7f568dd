/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - encodes the unwind table of a file in the module's format
 */
#ifndef KFLAME_UNWIND_ENCODE_H
#define KFLAME_UNWIND_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rows.h"

/* Flags of a table; the module accepts only KFLAME_TABLE_ALL */
#define UNWIND_TABLE_FLAGS	(KFLAME_TABLE_ALL | KFLAME_TABLE_CODE)

/**
 * struct unwind_table - the arrays that struct kflame_table points at; this structure owns them
 *
 * Rule 0 is KFLAME_CFA_NONE. It applies before the first row of a page and after the last page. If
 * something is known at the start of a page, the first row of the page is at offset 0. Successive rows of
 * a page have different rules.
 */
struct unwind_table {
	uint32_t flags;			/* UNWIND_TABLE_FLAGS */
	uint32_t nr_pages;
	uint32_t nr_rows;
	uint32_t nr_rules;
	uint32_t *pages;		/* nr_pages + 1 elements, even if nr_pages is 0 */
	uint32_t *rows;
	struct kflame_rule *rules;
};

/**
 * unwind_table_pack() - makes a table from rows
 * @rows:	its rules are moved to @out
 * @out:	to be freed with unwind_table_exit() whatever is returned
 *
 * KFLAME_TABLE_NONE is set if no entry describes code of this file.
 *
 * Return: 0 or -ENOMEM.
 */
int unwind_table_pack(struct unwind_rows *rows, struct unwind_table *out);

/** unwind_table_exit() - frees the arrays of a table, and makes it empty */
void unwind_table_exit(struct unwind_table *t);

/** unwind_table_bytes() - Return: size of the arrays of a table */
size_t unwind_table_bytes(const struct unwind_table *t);

/**
 * unwind_table_find() - finds the rule for a file offset, as the module does
 *
 * Pass a return address minus 1, because the call may be the last instruction of its function.
 *
 * Return: a rule, valid as long as @t; KFLAME_CFA_NONE if nothing is known.
 */
const struct kflame_rule *unwind_table_find(const struct unwind_table *t, uint64_t offset);

#endif
