// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * encode.c - encodes the unwind table of a file in the module's format
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/encode.h"
#include "unwind/frame_pointer_proof.h"

/* Pages from the start of the file to the last row, after which nothing is known */
static size_t count_pages(const struct row_list *l)
{
	uint64_t end = l->nr ? l->all[l->nr - 1].offset : 0;

	return (size_t)((end + KFLAME_TABLE_PAGE - 1) / KFLAME_TABLE_PAGE);
}

static int take_room(const struct row_list *l, struct unwind_table *out)
{
	size_t pages = count_pages(l);

	out->pages = calloc(pages + 1, sizeof(*out->pages));
	out->rows = calloc(l->nr + pages + 1, sizeof(*out->rows));
	out->nr_pages = (uint32_t)pages;
	return out->pages && out->rows ? 0 : -ENOMEM;
}

/* Writes the rows of page @page, the first of which is *@next */
static void fill_page(const struct row_list *l, uint32_t page, size_t *next,
		      struct unwind_table *out)
{
	uint64_t start = (uint64_t)page * KFLAME_TABLE_PAGE, end = start + KFLAME_TABLE_PAGE;
	uint32_t before = *next ? l->all[*next - 1].rule : 0;

	out->pages[page] = out->nr_rows;
	/* A rule that continues from the page before needs a row here. An unknown range needs none. */
	if (before && l->all[*next].offset > start)
		out->rows[out->nr_rows++] = KFLAME_ROW(0, before);
	for (; *next < l->nr && l->all[*next].offset < end; (*next)++) {
		const struct unwind_row *row = &l->all[*next];

		if (row->offset == start && !row->rule)
			continue;
		out->rows[out->nr_rows++] = KFLAME_ROW((uint32_t)row->offset, row->rule);
	}
}

/* The last row says that nothing is known, so fill_page() always finds a next row */
static void fill(const struct row_list *l, struct unwind_table *out)
{
	size_t next = 0;

	for (uint32_t page = 0; page < out->nr_pages; page++)
		fill_page(l, page, &next, out);
	out->pages[out->nr_pages] = out->nr_rows;
}

static void take_rules(struct unwind_rules *from, struct unwind_table *out)
{
	out->rules = from->all;
	out->nr_rules = (uint32_t)from->nr;
	index_exit(&from->index);
	memset(from, 0, sizeof(*from));
}

int unwind_table_pack(struct unwind_rows *rows, struct unwind_table *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = take_room(&rows->rows, out);
	if (err)
		return err;
	if (!rows->rows.nr) {
		out->flags = KFLAME_TABLE_NONE;
		return 0;
	}
	if (rows->by_code)
		out->flags |= KFLAME_TABLE_CODE;
	else if (unwind_proves_fp(rows))
		out->flags |= KFLAME_TABLE_FP;
	if (rows->covered < rows->code / 2)
		out->flags |= KFLAME_TABLE_PART;
	fill(&rows->rows, out);
	take_rules(&rows->rules, out);
	return 0;
}

void unwind_table_exit(struct unwind_table *t)
{
	free(t->pages);
	free(t->rows);
	free(t->rules);
	memset(t, 0, sizeof(*t));
}

size_t unwind_table_bytes(const struct unwind_table *t)
{
	return (t->nr_pages + (size_t)1) * sizeof(*t->pages) + t->nr_rows * sizeof(*t->rows) +
	       t->nr_rules * sizeof(*t->rules);
}

const struct kflame_rule *unwind_table_find(const struct unwind_table *t, uint64_t offset)
{
	static const struct kflame_rule none = { .cfa = KFLAME_CFA_NONE };
	uint64_t page = offset / KFLAME_TABLE_PAGE;
	uint32_t low, high, at = (uint32_t)offset % KFLAME_TABLE_PAGE;

	if (page >= t->nr_pages)
		return &none;
	low = t->pages[page];
	high = t->pages[page + 1];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (KFLAME_ROW_OFFSET(t->rows[mid]) <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->pages[page])
		return &none;
	return &t->rules[KFLAME_ROW_RULE(t->rows[low - 1])];
}
