/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox_works.h - lists all kinds of sandbox processes
 */
#ifndef KFLAME_CMD_SANDBOX_WORKS_H
#define KFLAME_CMD_SANDBOX_WORKS_H

#include "sandbox/sandbox.h"

/** sandbox_works - the list for sandbox_main(); ends with NULL */
extern const struct sandbox_work *const sandbox_works[];

#endif
