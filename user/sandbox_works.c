// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox_works.c - all kinds of work that sandboxes do
 */
#include <stddef.h>

#include "doctor.h"
#include "sandbox_works.h"
#include "symbols/demangled.h"
#include "symbols/disassembly.h"
#include "symbols/name_words.h"
#include "symbols/sources.h"
#include "unwind/table_work.h"
#include "unwind/unwinder.h"

const struct sandbox_work *const sandbox_works[] = {
	&name_work, &source_work, &table_work, &unwinder_work, &disassembly_work,
	&demangle_work, &doctor_work, NULL,
};
