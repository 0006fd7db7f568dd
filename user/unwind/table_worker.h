/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_worker.h - compiles the unwind table of a file in a sandbox
 */
#ifndef KFLAME_UNWIND_TABLE_WORKER_H
#define KFLAME_UNWIND_TABLE_WORKER_H

#include "sandbox/sandbox.h"
#include "unwind/encode.h"

/**
 * table_ask() - compiles a file's unwind table in a sandbox
 * @fd:		as for elf_table_read()
 * @out:	to be freed with unwind_table_exit() whatever is returned
 *
 * The size of the table is within the module's limits.  The module checks the contents itself.
 *
 * Return: as elf_table_read(); also -ETIMEDOUT, -EIO or another negative errno if the sandbox failed.
 */
int table_ask(int fd, struct unwind_table *out);

/** table_work - for sandbox_main() */
extern const struct sandbox_work table_work;

#endif
