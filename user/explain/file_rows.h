/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_rows.h - the rows of a file's unwind information, as DWARF has them
 *
 * The module's table has rules that are made from these rows. A student compares both, and readelf prints the
 * rows. A sandbox reads the file.
 */
#ifndef KFLAME_EXPLAIN_FILE_ROWS_H
#define KFLAME_EXPLAIN_FILE_ROWS_H

#include "explain/explanation.h"
#include "sandbox/sandbox.h"

#define FILE_ROWS_MOST	KFLAME_EXPLAIN_STEPS

/** struct file_row - the answer for one file offset */
struct file_row {
	uint64_t in_file;		/* its address; 0: it is in no executable segment */
	struct explained_row row;
};

/**
 * file_rows_ask() - asks a sandbox for rows
 * @fd:		the file, which may be hostile; the caller closes it
 * @offsets:	file offsets
 * @nr:		at most FILE_ROWS_MOST
 * @to:		out: a row for each offset; all zero if the file cannot be read
 *
 * Return: 0 or a negative errno.
 */
int file_rows_ask(int fd, const uint64_t *offsets, size_t nr, struct file_row *to);

/** file_rows_work - for sandbox_main() */
extern const struct sandbox_work file_rows_work;

#endif
