// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox_works.c - lists all kinds of sandbox processes
 */
#include <stddef.h>

#include "cmd/sandbox_works.h"
#include "doctor/doctor.h"
#include "elf/demangle_client.h"
#include "elf/disassembly.h"
#include "elf/function_protocol.h"
#include "elf/interpreter_find.h"
#include "elf/source_lookup.h"
#include "elf/symbol_search.h"
#include "explain/file_rows.h"
#include "record/copy_worker.h"
#include "unwind/table_worker.h"

const struct sandbox_work *const sandbox_works[] = {
	&name_work, &source_work, &table_work, &unwinder_work, &disassembly_work,
	&demangle_work, &doctor_work, &symbol_work, &interpreter_work, &file_rows_work, NULL,
};
