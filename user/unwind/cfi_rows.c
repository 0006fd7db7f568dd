// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_rows.c - runs the CFI programs of a file's entries
 */
#include <time.h>

#include "base/clock.h"
#include "unwind/row_reader.h"

#define ENTRY_COST	32		/* bytes that each entry adds to the size of its program */

/* Adds a row from file offset @at on; rule 0 if the row cannot be expressed as a rule */
static int add_row(struct row_reader *r, const struct cfi_row *row, bool signal, uint64_t at,
		   struct row_list *to)
{
	struct kflame_rule rule;
	enum unwind_loss loss = unwind_rule(r->registers, row, signal, &rule);
	uint32_t number = 0;
	int err = 0;

	if (loss == UNWIND_KEPT) {
		err = unwind_rules_number(&r->out->rules, &rule, &number);
		loss = number ? UNWIND_KEPT : UNWIND_LIMIT;
	}
	r->out->lost[loss]++;
	return err ? err : row_list_put(to, at, number);
}

/*
 * Does a row describe what a jump stub has pushed (rule.c)?  Then the stub had pushed it at the beginning
 * of the entry already, although the entry's first rows do not say so.
 */
static bool tells_of_push(const struct row_reader *r, const struct cfi_row *row)
{
	return r->out->machine == EM_AARCH64 && row->ra.kind == CFI_SAVED &&
	       (int64_t)row->ra.value >= 0;
}

/* Does no row begin after @offset yet? */
static bool first_of(const struct row_list *to, uint64_t offset)
{
	return !to->nr || to->all[to->nr - 1].offset <= offset;
}

/* Return: UNWIND_KEPT if the program of an entry may be run, else why not */
static enum unwind_loss may_run(struct row_reader *r, const struct frame_entry *e)
{
	uint64_t bytes = ENTRY_COST + (uint64_t)(e->initial.end - e->initial.at) +
			 (uint64_t)(e->program.end - e->program.at);

	if (e->ra != r->registers->ra)
		return UNWIND_REGISTER;
	if (++r->asked % 64 == 0 && clock_ns(CLOCK_THREAD_CPUTIME_ID) > r->until)
		r->left = 0;
	if (bytes > CFI_MAX_PROGRAM + ENTRY_COST || bytes > r->left)
		return UNWIND_LIMIT;
	r->left -= bytes;
	return UNWIND_KEPT;
}

/* Adds the rows of an entry in @part, which is within the entry */
static int add_entry(struct row_reader *r, const struct frame_table *t, const struct frame_entry *e,
		     const struct row_window *part, struct row_list *to)
{
	enum unwind_loss loss = may_run(r, e);
	uint64_t from, until, done = part->from;
	bool pushed = false;
	struct cfi_run run;
	int err = 0;

	r->out->entries++;
	if (loss == UNWIND_KEPT) {
		cfi_run_begin(&run, t, e, r->registers);
		while (!err && !to->full && done < part->to && cfi_run_next(&run, &from, &until)) {
			if (until <= done)
				continue;
			if (!pushed && tells_of_push(r, &run.row)) {
				pushed = true;
				done = first_of(to, part->from + part->shift) ? part->from : done;
			}
			err = add_row(r, &run.row, e->signal, done + part->shift, to);
			done = until;
		}
		loss = UNWIND_DAMAGED;
	}
	if (!err && done < part->to) {
		r->out->lost[loss]++;
		err = row_list_put(to, done + part->shift, 0);
	}
	return err;
}

/* Adds the entries in one window */
static int add_window(struct row_reader *r, const struct frame_table *t, const struct row_window *w,
		      struct row_list *to)
{
	struct row_window part = { .to = w->from, .shift = w->shift };
	struct frame_entry e;
	int err = 0;

	for (size_t i = 0; i < t->nr && t->all[i].start < w->to && !err; i++) {
		const struct frame_range *range = &t->all[i];

		/* Entries may overlap: this one begins after the end of the one before. */
		part.from = range->start > part.to ? range->start : part.to;
		if (range->end <= part.from || !frame_table_entry(t, range, &e))
			continue;
		part.to = range->end < w->to ? range->end : w->to;
		err = add_entry(r, t, &e, &part, to);
		if (!err)
			err = row_list_put(to, part.to + w->shift, UNWIND_GAP);
	}
	return err;
}

int rows_add_table(struct row_reader *r, const struct frame_table *t, struct row_list *to)
{
	int err = 0;

	for (size_t i = 0; i < r->nr_windows && !err; i++)
		err = add_window(r, t, &r->windows[i], to);
	return err;
}
