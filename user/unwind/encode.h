/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - a file's unwind table as the module takes it
 */
#ifndef KFLAME_UNWIND_ENCODE_H
#define KFLAME_UNWIND_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rows.h"

/**
 * struct unwind_table - what struct kflame_table points at, all ours
 *
 * Rule 0 is KFLAME_CFA_NONE. A page's first row is at its offset 0, unless nothing is known
 * there: what is before the first row of a page is like rule 0, and so is what is past the last
 * page. No row says what the one before it in its page says already.
 */
struct unwind_table {
	uint32_t flags;			/* KFLAME_TABLE_* */
	uint32_t nr_pages;
	uint32_t nr_rows;
	uint32_t nr_rules;
	uint32_t *pages;		/* nr_pages + 1, also where that is one */
	uint32_t *rows;
	struct kflame_rule *rules;
};

/**
 * unwind_table_pack() - makes a table of rows
 * @rows:	its rules are taken: they are @out's then
 * @out:	to be freed with unwind_table_exit() whatever is returned
 *
 * Return: 0 or -ENOMEM. KFLAME_TABLE_NONE is set where no entry says anything of this file.
 */
int unwind_table_pack(struct unwind_rows *rows, struct unwind_table *out);

/** unwind_table_exit() - frees what a table has, and makes it empty */
void unwind_table_exit(struct unwind_table *t);

/** unwind_table_bytes() - Return: bytes that its arrays take */
size_t unwind_table_bytes(const struct unwind_table *t);

/**
 * unwind_table_find() - the rule of a file offset
 *
 * As the module does it. A return address is asked for less one: its call may be the last
 * instruction of what it is in.
 *
 * Return: a rule, as long as @t is; one of KFLAME_CFA_NONE where nothing is known.
 */
const struct kflame_rule *unwind_table_find(const struct unwind_table *t, uint64_t offset);

#endif
