/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_code.h - may code at an address have been made by a just-in-time compiler?
 *
 * A perf map or a jitdump may name only such code.  An unprivileged process writes those files, so they
 * must not name code of a file on disk.
 */
#ifndef KFLAME_PROFILE_JIT_CODE_H
#define KFLAME_PROFILE_JIT_CODE_H

#include <stdbool.h>

#include "profile/profile.h"

/**
 * made_code_is() - may a just-in-time compiler have made the code in a mapping?
 * @p:		the profile
 * @m:		a mapping of the profile; NULL if the module saw none
 *
 * Return: true if no file on disk backs the mapping: anonymous memory, the heap, the stack, memfd,
 * shared anonymous memory, /dev/zero, huge pages, shared memory of System V and POSIX.  Also true for
 * NULL, because the process may have made the mapping after the module walked its mappings.
 */
bool made_code_is(const struct profile *p, const struct profile_mapping *m);

#endif
