/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_reader.h - what unwind_rows_read() shares with the files that find its rows
 *
 * Each function adds rows by file offset to a list, and returns 0 or -ENOMEM.
 */
#ifndef KFLAME_UNWIND_ROW_READER_H
#define KFLAME_UNWIND_ROW_READER_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/cfi_interpreter.h"
#include "elf/cfi_sections.h"
#include "unwind/rows.h"

#define ROW_WINDOWS	64		/* a linker writes one to four */

/** struct row_window - an executable segment: addresses from .from up to .to */
struct row_window {
	uint64_t from, to;
	uint64_t shift;			/* file offset minus address */
};

/** struct row_reader - a file that is read */
struct row_reader {
	const struct cfi_registers *registers;
	struct unwind_rows *out;
	struct row_window windows[ROW_WINDOWS];
	size_t nr_windows;
	uint64_t left;		/* bytes of programs that may still be run, with ENTRY_COST for each */
	uint64_t until;		/* limit for the CPU time of this thread, nanoseconds */
	unsigned int asked;	/* number of entries; the clock is read at every 64th */
};

/** row_window_offset() - Return: the file offset at which it begins */
static inline uint64_t row_window_offset(const struct row_window *w)
{
	return w->from + w->shift;
}

/* rows.c */

/** rows_measure() - sets how much of the code has rules */
void rows_measure(struct row_reader *r);

/* cfi_rows.c: rows of unwind information */

/** rows_add_table() - adds the rows of .eh_frame or .debug_frame; UNWIND_GAP behind each entry */
int rows_add_table(struct row_reader *r, const struct frame_table *t, struct row_list *to);

/* special_rows.c: rows of code that unwind information does not describe, or not rightly */

/** rows_complete_go() - completes the rules of Go's .debug_frame, which are the only rows so far */
int rows_complete_go(struct row_reader *r, Elf *elf);

/** rows_add_entry_point() - adds that the entry point of a program has no caller */
int rows_add_entry_point(struct row_reader *r, uint64_t entry, struct row_list *to);

/** rows_add_stubs() - adds the rows of jump stubs */
int rows_add_stubs(struct row_reader *r, Elf *elf, struct row_list *to);

/**
 * rows_add_clones() - adds the rows behind system calls that make a thread
 * @under:	receives rows for undescribed code
 * @over:	receives rows that replace existing rows
 */
int rows_add_clones(struct row_reader *r, Elf *elf, struct row_list *under, struct row_list *over);

/** rows_add_leaves() - arm64: adds the rows of functions that call nothing, found by their code */
int rows_add_leaves(struct row_reader *r, Elf *elf, struct row_list *to);

/** rows_add_go_stacks() - adds where the stacks of goroutines end */
int rows_add_go_stacks(struct row_reader *r, Elf *elf, struct row_list *to);

/**
 * rows_add_trampolines() - adds the code to which a signal handler returns
 * @behind:	receives a row for the byte after each; rows of other functions take precedence
 */
int rows_add_trampolines(struct row_reader *r, Elf *elf, struct row_list *to,
			   struct row_list *behind);

/** rows_add_prologues() - adds frame pointer rules for undescribed code with prologues */
int rows_add_prologues(struct row_reader *r, Elf *elf, struct row_list *out);

/**
 * rows_add_code() - adds rules that are made from the code; a failure costs only these rules
 * @entry:	the entry point, 0 for none
 * @entries:	functions that unwind information describes
 */
int rows_add_code(struct row_reader *r, Elf *elf, uint64_t entry, const struct frame_table *entries,
		  struct row_list *to);

#endif
