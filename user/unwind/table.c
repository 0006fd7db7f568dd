// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - the unwind table of a mapped file
 */
#include <errno.h>
#include <libelf.h>
#include <string.h>

#include "elf/libelf_section.h"
#include "elf/vdso.h"
#include "unwind/table.h"

static int compile(Elf *elf, struct unwind_table *out, uint64_t *lost)
{
	struct unwind_rows rows;
	int err = unwind_rows_read(elf, &rows);

	if (lost)
		memcpy(lost, rows.lost, sizeof(rows.lost));
	if (!err)
		err = unwind_table_pack(&rows, out);
	unwind_rows_exit(&rows);
	return err;
}

int elf_table_read(int fd, struct unwind_table *out, uint64_t *lost)
{
	Elf *elf = section_open(fd);
	int err;

	memset(out, 0, sizeof(*out));
	if (!elf)
		return -ENOEXEC;
	err = compile(elf, out, lost);
	elf_end(elf);
	return err;
}

int elf_table_vdso(struct unwind_table *out, uint64_t *lost)
{
	Elf *elf = vdso_begin();
	int err;

	memset(out, 0, sizeof(*out));
	if (!elf)
		return -ENOENT;
	err = compile(elf, out, lost);
	elf_end(elf);
	return err;
}
