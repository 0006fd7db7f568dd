// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_unwind.c - any bytes as a file of which the module is to have the unwind table
 *
 * Beyond not crashing: the table is one that the module takes. Numbers are within their limits,
 * pages and the rows in each rise, each rule is one that there can be; and no byte of the file
 * is looked up otherwise than by the row that is there.
 */
#include <errno.h>

#include "fuzz.h"
#include "unwind/table.h"

static void check_rule(const struct kflame_rule *u)
{
	bool other = u->cfa == KFLAME_CFA_REG || u->fp == KFLAME_IN_REG || u->ra == KFLAME_IN_REG;

	MUST(u->cfa <= KFLAME_CFA_LAST && u->fp <= KFLAME_IN_LAST && u->ra <= KFLAME_IN_LAST);
	MUST(u->ra != KFLAME_IN_LOST && u->reg <= 30 && (other || !u->reg));
	MUST(u->cfa == KFLAME_CFA_PLT ? u->cfa_offset >= 0 && u->cfa_offset < 16 :
	     !(u->cfa_offset & 7));
	MUST(!(u->cfa_add & 7) && !(u->fp_offset & 7) && !(u->ra_offset & 7));
	MUST(u->fp_offset == 0 || (u->fp >= KFLAME_IN_CFA && u->fp <= KFLAME_IN_FP));
	MUST(u->ra_offset == 0 || (u->ra >= KFLAME_IN_CFA && u->ra <= KFLAME_IN_FP));
	MUST(u->cfa_add == 0 || u->cfa == KFLAME_CFA_AT_SP || u->cfa == KFLAME_CFA_AT_FP);
	if (u->cfa <= KFLAME_CFA_END || u->cfa == KFLAME_CFA_SIGNAL)
		MUST(!u->fp && !u->ra && !u->fp_offset && !u->ra_offset);
	if (u->cfa <= KFLAME_CFA_END)
		MUST(!u->cfa_offset);
}

static void check_page(const struct unwind_table *t, uint32_t page)
{
	uint64_t start = (uint64_t)page * KFLAME_TABLE_PAGE;

	MUST(t->pages[page] <= t->pages[page + 1]);
	for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
		uint32_t at = KFLAME_ROW_OFFSET(t->rows[i]), rule = KFLAME_ROW_RULE(t->rows[i]);

		MUST(rule < t->nr_rules);
		MUST(unwind_table_find(t, start + at) == &t->rules[rule]);
		if (i == t->pages[page])
			continue;
		MUST(KFLAME_ROW_OFFSET(t->rows[i - 1]) < at);
		MUST(KFLAME_ROW_RULE(t->rows[i - 1]) != rule);
		MUST(unwind_table_find(t, start + at - 1) ==
		     &t->rules[KFLAME_ROW_RULE(t->rows[i - 1])]);
	}
}

static void check_table(const struct unwind_table *t)
{
	MUST(!(t->flags & ~UNWIND_TABLE_FLAGS));
	MUST(t->nr_pages <= KFLAME_TABLE_PAGES && t->nr_rows <= KFLAME_TABLE_ROWS &&
	     t->nr_rules <= KFLAME_TABLE_RULES);
	MUST(!(t->flags & KFLAME_TABLE_NONE) ||
	     (t->flags == KFLAME_TABLE_NONE && !t->nr_pages && !t->nr_rows && !t->nr_rules));
	MUST(t->pages && t->pages[0] == 0 && t->pages[t->nr_pages] == t->nr_rows);
	for (uint32_t i = 0; i < t->nr_rules; i++)
		check_rule(&t->rules[i]);
	MUST(!t->nr_rules || t->rules[0].cfa == KFLAME_CFA_NONE);
	for (uint32_t page = 0; page < t->nr_pages; page++)
		check_page(t, page);
	MUST(unwind_table_find(t, (uint64_t)t->nr_pages * KFLAME_TABLE_PAGE)->cfa ==
	     KFLAME_CFA_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	int fd = fuzz_file(data, size), err;

	err = elf_table_read(fd, &t, lost);
	MUST(!err || err == -ENOEXEC);
	if (!err)
		check_table(&t);
	unwind_table_exit(&t);
	close(fd);
	return 0;
}
