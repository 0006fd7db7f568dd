// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_rows.c - the rows of a file's unwind information, as DWARF has them
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "elf/cfi_interpreter.h"
#include "elf/cfi_sections.h"
#include "elf/libelf_section.h"
#include "elf/loaded_bytes.h"
#include "explain/file_rows.h"
#include "explain/words.h"

#define TIME_NS		(20 * NS_PER_S)
#define MEMORY		(1ull << 30)	/* bytes, at most */
#define FILES		16

/* ------------------------------------------------------------- in the sandbox */

/* Where a register of the caller is, as readelf has it */
static void put_where(char *to, size_t size, const struct cfi_place *where)
{
	switch (where->kind) {
	case CFI_SAME:
		snprintf(to, size, "s");
		break;
	case CFI_SAVED:
		snprintf(to, size, "c%+" PRId64, (int64_t)where->value);
		break;
	case CFI_REGISTER:
		snprintf(to, size, "r%" PRIu64, where->value);
		break;
	case CFI_EXPRESSION:
		snprintf(to, size, "exp");
		break;
	case CFI_OTHER:
		snprintf(to, size, "vexp");
		break;
	default:
		snprintf(to, size, "u");
	}
}

static void put_row(struct explained_row *to, uint16_t machine, const struct cfi_row *row)
{
	if (row->cfa_known)
		snprintf(to->cfa, sizeof(to->cfa), "%s%+" PRId64, explain_register(machine, row->cfa_register),
			 (int64_t)row->cfa_offset);
	else
		snprintf(to->cfa, sizeof(to->cfa), "exp");
	put_where(to->fp, sizeof(to->fp), &row->fp);
	put_where(to->base, sizeof(to->base), &row->base);
	put_where(to->ra, sizeof(to->ra), &row->ra);
}

/* Finds the row of an address in a table.  Return: whether there is one */
static bool find_row(const struct frame_table *t, const char *section, uint16_t machine, uint64_t address,
		     struct explained_row *to)
{
	struct frame_entry e;
	uint64_t from, until;
	struct cfi_run run;
	const struct frame_range *range = frame_table_range(t, address);

	if (!range || !frame_table_entry(t, range, &e))
		return false;
	cfi_run_begin(&run, t, &e, cfi_registers(machine));
	do {
		if (!cfi_run_next(&run, &from, &until))
			return false;
	} while (until <= address);
	snprintf(to->section, sizeof(to->section), "%s", section);
	to->entry = range->at;
	to->start = e.start;
	to->end = e.end;
	to->from = from;
	to->to = until;
	put_row(to, machine, &run.row);
	return true;
}

static void read_rows(Elf *elf, const uint64_t *offsets, size_t nr, struct file_row *to)
{
	struct frame_sections sections;
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh) || eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !cfi_registers(eh.e_machine) || frame_sections_load(elf, &sections))
		return;
	for (size_t i = 0; i < nr; i++) {
		if (loaded_code(elf, offsets[i], &to[i].in_file) &&
		    !find_row(&sections.eh, ".eh_frame", eh.e_machine, to[i].in_file, &to[i].row))
			find_row(&sections.debug, ".debug_frame", eh.e_machine, to[i].in_file, &to[i].row);
	}
}

static void run(const struct sandbox_job *job)
{
	size_t nr = job->len / sizeof(uint64_t);
	FILE *out = fdopen(job->out, "w");
	struct file_row *rows = calloc(nr ? nr : 1, sizeof(*rows));
	Elf *elf = section_open(job->fds[0]);

	if (!out || !rows)
		return;
	if (elf)
		read_rows(elf, job->question, nr, rows);
	fwrite(rows, sizeof(*rows), nr, out);
	/* Free nothing: the process ends now */
	fflush(out);
}

const struct sandbox_work file_rows_work = { .name = "file-rows", .run = run };

/* ----------------------------------------------------------------- in the tool */

/* What a sandbox wrote is hostile: end all strings, and let them have letters only */
static void clean(char *s, size_t size)
{
	s[size - 1] = 0;
	for (; *s; s++)
		if (*s < ' ' || *s > '~' || *s == '<' || *s == '&')
			*s = '?';
}

static void clean_row(struct explained_row *row)
{
	clean(row->section, sizeof(row->section));
	clean(row->cfa, sizeof(row->cfa));
	clean(row->fp, sizeof(row->fp));
	clean(row->base, sizeof(row->base));
	clean(row->ra, sizeof(row->ra));
}

int file_rows_ask(int fd, const uint64_t *offsets, size_t nr, struct file_row *to)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .files = FILES,
					       .memory = sandbox_memory(fd, MEMORY) };
	const struct sandbox_input input = { .fds = &fd, .nr_fds = 1, .owner = &fd, .question = offsets,
					     .len = nr * sizeof(*offsets) };
	struct sandbox child;
	ssize_t n;
	int err;

	memset(to, 0, nr * sizeof(*to));
	if (!nr || nr > FILE_ROWS_MOST)
		return nr ? -EINVAL : 0;
	err = sandbox_start(&child, &file_rows_work, &limits, &input);
	if (err)
		return err;
	n = sandbox_read(&child, to, nr * sizeof(*to), nr * sizeof(*to));
	sandbox_end(&child);
	if (n != (ssize_t)(nr * sizeof(*to))) {
		memset(to, 0, nr * sizeof(*to));
		return n < 0 ? -ETIMEDOUT : -EIO;
	}
	for (size_t i = 0; i < nr; i++)
		clean_row(&to[i].row);
	return 0;
}
