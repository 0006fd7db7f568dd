/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_list.h - rows as they are found: where a rule begins to hold
 */
#ifndef KFLAME_UNWIND_ROW_LIST_H
#define KFLAME_UNWIND_ROW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/*
 * 128 MiB of a list, and there are three at a time. Not more than the module takes, with room
 * for one row more at the start of each page.
 */
#define UNWIND_MAX_ROWS	(KFLAME_TABLE_ROWS / 2 - KFLAME_TABLE_PAGES)

/* Rules go by their number. This one is in no table: nothing was said of this place */
#define UNWIND_GAP	UINT32_MAX

/** struct unwind_row - @rule holds from @offset up to the next row */
struct unwind_row {
	uint64_t offset;	/* in the file, bytes */
	uint32_t rule;
};

/** struct row_list - rows that rise; all zero is an empty one */
struct row_list {
	struct unwind_row *all;
	size_t nr, cap;
	bool full;		/* some were left out, beyond UNWIND_MAX_ROWS */
};

/**
 * row_list_put() - lets a rule hold from an offset on
 * @offset:	not less than that of the last row; if the same, this one replaces it
 *
 * What says no more than the row before is left out. Where there is no room, nothing is said
 * of all that follows.
 *
 * Return: 0 or -ENOMEM.
 */
int row_list_put(struct row_list *l, uint64_t offset, uint32_t rule);

/**
 * row_list_merge() - what @over says, and where that is nothing, what @under says
 * @out:	an empty one; to be freed by row_list_exit() whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int row_list_merge(const struct row_list *over, const struct row_list *under,
		   struct row_list *out);

/** row_list_exit() - frees it, and makes it empty */
void row_list_exit(struct row_list *l);

#endif
