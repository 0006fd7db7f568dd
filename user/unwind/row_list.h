/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_list.h - a list of rows: each says where a rule begins to apply
 */
#ifndef KFLAME_UNWIND_ROW_LIST_H
#define KFLAME_UNWIND_ROW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/*
 * A full list takes 128 MiB, and there are three lists at a time. The limit also leaves room in the
 * module's table for one more row at the start of each page.
 */
#define UNWIND_MAX_ROWS	(KFLAME_TABLE_ROWS / 2 - KFLAME_TABLE_PAGES)

/* In place of the number of a rule: nothing describes this code. No table has it */
#define UNWIND_GAP	UINT32_MAX

/** struct unwind_row - @rule applies from @offset up to the next row */
struct unwind_row {
	uint64_t offset;	/* in the file, bytes */
	uint32_t rule;
};

/** struct row_list - rows sorted by offset; all zero is an empty list */
struct row_list {
	struct unwind_row *all;
	size_t nr, cap;
	bool full;		/* rows were left out: there are more than UNWIND_MAX_ROWS */
};

/**
 * row_list_put() - adds a row: @rule applies from @offset on
 * @offset:	not less than the offset of the last row; if equal, the new row replaces that row
 *
 * A row with the same rule as the row before it is left out. Once the list is full, it ends with
 * UNWIND_GAP, and further rows are ignored.
 *
 * Return: 0 or -ENOMEM.
 */
int row_list_put(struct row_list *l, uint64_t offset, uint32_t rule);

/**
 * row_list_merge() - merges two lists: where @over has a gap, the rows of @under apply
 * @out:	an empty list; to be freed with row_list_exit() whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int row_list_merge(const struct row_list *over, const struct row_list *under,
		   struct row_list *out);

/** row_list_exit() - frees it, and makes it empty */
void row_list_exit(struct row_list *l);

#endif
