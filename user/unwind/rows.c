// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - see rows.h: which rows of a file apply where
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "unwind/code_rows.h"
#include "unwind/row_reader.h"

#define MAX_PHDRS	65535u
#define MAX_OFFSET	((uint64_t)KFLAME_TABLE_PAGES * KFLAME_TABLE_PAGE)
#define MAX_BYTES	(128u << 20)	/* of CFI programs; a browser has some 30 MiB */
#define MAX_NS		5000000000ull	/* of CPU time: a browser takes 0.1 s */

static int by_offset(const void *a, const void *b)
{
	const struct row_window *x = a, *y = b;

	return row_window_offset(x) < row_window_offset(y) ? -1 : row_window_offset(x) > row_window_offset(y);
}

/* Clips the windows so that they do not overlap in the file: the offsets of rows must increase */
static void clip_windows(struct row_reader *r)
{
	uint64_t done = 0;

	for (size_t i = 0; i < r->nr_windows; i++) {
		struct row_window *w = &r->windows[i];
		uint64_t at = row_window_offset(w), end = w->to + w->shift;

		if (end > MAX_OFFSET)
			end = MAX_OFFSET;
		if (at < done)
			at = done;
		if (at > end)
			at = end;
		w->from = at - w->shift;
		w->to = end - w->shift;
		if (end > done)
			done = end;
	}
}

static void read_windows(struct row_reader *r, Elf *elf)
{
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(elf, &nr) || nr > MAX_PHDRS)
		return;
	for (size_t i = 0; i < nr && r->nr_windows < ROW_WINDOWS; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset >= MAX_OFFSET ||
		    ph.p_offset + ph.p_filesz <= ph.p_offset ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		r->windows[r->nr_windows++] = (struct row_window){
			ph.p_vaddr, ph.p_vaddr + ph.p_filesz, ph.p_offset - ph.p_vaddr };
	}
	qsort(r->windows, r->nr_windows, sizeof(*r->windows), by_offset);
	clip_windows(r);
}

void rows_measure(struct row_reader *r)
{
	const struct row_list *rows = &r->out->rows;

	r->out->code = r->out->covered = 0;
	for (size_t i = 0; i < r->nr_windows; i++)
		r->out->code += r->windows[i].to - r->windows[i].from;
	for (size_t i = 0; i + 1 < rows->nr; i++)
		if (rows->all[i].rule && rows->all[i].rule != UNWIND_GAP)
			r->out->covered += rows->all[i + 1].offset - rows->all[i].offset;
}

/* Adds the rows of @list where @rows has gaps, or replaces rows of @rows with them (@over); empties @list */
static int put(struct row_list *list, bool over, struct row_list *rows)
{
	struct row_list merged = { 0 };
	int err = 0;

	if (list->nr) {
		err = row_list_merge(over ? list : rows, over ? rows : list, &merged);
		row_list_exit(rows);
		*rows = merged;
	}
	row_list_exit(list);
	return err;
}

static int put_under(struct row_list *under, struct row_list *rows)
{
	return put(under, false, rows);
}

static int put_over(struct row_list *over, struct row_list *rows)
{
	return put(over, true, rows);
}

/* Replaces UNWIND_GAP with rule 0, which says that nothing is known */
static void close_gaps(struct row_list *rows)
{
	size_t to = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		struct unwind_row row = rows->all[i];

		if (row.rule == UNWIND_GAP)
			row.rule = 0;
		if (to ? rows->all[to - 1].rule != row.rule : row.rule)
			rows->all[to++] = row;
	}
	rows->nr = to;
}

/*
 * The first function of a fiber, a coroutine or a thread may have no caller.  The code that makes a fiber
 * puts the address of the function on the stack, and enters it by a return (makecontext(), libco).  A
 * return address is looked up minus 1.  For the first byte of a function, that is in the padding before
 * it, to which no call returns.  Functions begin at multiples of 16.
 */
static int end_in_padding(struct unwind_rows *out)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_END };
	struct row_list *rows = &out->rows;
	size_t kept = 0;
	uint32_t number;
	int err = unwind_rules_number(&out->rules, &rule, &number);

	for (size_t i = 0; !err && i < rows->nr; i++) {
		struct unwind_row row = rows->all[i];
		uint64_t next = i + 1 < rows->nr ? rows->all[i + 1].offset : row.offset;

		if (!row.rule && row.offset % 16 && !(next % 16) && next - row.offset < 16 &&
		    rows->all[i + 1].rule)
			row.rule = number;
		/* Leave out a row with the same rule as the row before, as row_list_put() does. */
		if (!kept || rows->all[kept - 1].rule != row.rule)
			rows->all[kept++] = row;
	}
	rows->nr = err ? rows->nr : kept;
	return err;
}

static int add_all(struct row_reader *r, Elf *elf, uint64_t entry,
		   const struct frame_sections *tables)
{
	struct row_list over = { 0 }, under = { 0 }, *rows = &r->out->rows;
	int err = rows_add_table(r, &tables->debug, rows);
	bool by_code;

	if (!err)
		err = rows_complete_go(r, elf);
	if (!err)
		err = rows_add_table(r, &tables->eh, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err && rows->nr)
		err = rows_add_prologues(r, elf, &under);
	if (!err)
		err = put_under(&under, rows);
	rows_measure(r);
	by_code = !err && code_is_wanted(elf, r->out->machine, r->out->covered);
	if (!err && rows->nr)
		err = rows_add_entry_point(r, entry, &under);
	if (!err)
		err = put_under(&under, rows);
	if (!err && (rows->nr || by_code))
		err = rows_add_stubs(r, elf, &under);
	if (!err)
		err = put_under(&under, rows);
	/* The arm64 vdso has no unwind information, so use its code. */
	if (!err && !rows->nr)
		err = rows_add_leaves(r, elf, rows);
	if (!err && by_code)
		err = rows_add_code(r, elf, entry, &tables->eh, &under);
	if (!err)
		err = put_under(&under, rows);
	if (!err && rows->nr)
		err = rows_add_clones(r, elf, &under, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = put_under(&under, rows);
	if (!err)
		err = rows_add_go_stacks(r, elf, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = rows_add_trampolines(r, elf, &over, &under);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = put_under(&under, rows);
	row_list_exit(&over);
	row_list_exit(&under);
	close_gaps(rows);
	rows_measure(r);
	if (!err && rows->nr)
		err = end_in_padding(r->out);
	r->out->lost[UNWIND_LIMIT] += rows->full + tables->eh.left_out + tables->debug.left_out;
	return err;
}

int unwind_rows_read(Elf *elf, struct unwind_rows *out)
{
	struct row_reader r = {
		.out = out, .left = MAX_BYTES,
		.until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + MAX_NS,
	};
	struct frame_sections tables;
	GElf_Ehdr eh;
	int err;

	memset(out, 0, sizeof(*out));
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	r.registers = cfi_registers(eh.e_machine);
	if (!r.registers)
		return -ENOEXEC;
	out->machine = eh.e_machine;
	read_windows(&r, elf);
	err = unwind_rules_begin(&out->rules);
	if (err)
		return err;
	err = frame_sections_load(elf, &tables);
	if (!err)
		err = add_all(&r, elf, eh.e_entry, &tables);
	frame_sections_exit(&tables);
	return err;
}

void unwind_rows_exit(struct unwind_rows *r)
{
	row_list_exit(&r->rows);
	unwind_rules_exit(&r->rules);
	memset(r, 0, sizeof(*r));
}
