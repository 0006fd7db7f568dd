/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_worker.h - have a sandbox compile the unwind table of a file
 */
#ifndef KFLAME_UNWIND_TABLE_WORKER_H
#define KFLAME_UNWIND_TABLE_WORKER_H

#include "sandbox/sandbox.h"
#include "unwind/encode.h"

/**
 * table_ask() - compile a file's unwind table in a sandbox
 * @fd:		as for elf_table_read()
 * @out:	to be freed with unwind_table_exit() whatever is returned
 *
 * The answer is no larger than what the module takes.  The module checks the table itself.
 *
 * Return: as elf_table_read(); also -ETIMEDOUT, -EIO or another negative errno if the sandbox failed.
 */
int table_ask(int fd, struct unwind_table *out);

/** table_work - for sandbox_main() */
extern const struct sandbox_work table_work;

#endif
