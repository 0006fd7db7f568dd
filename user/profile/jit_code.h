/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_code.h - may code at an address have been made by a just-in-time compiler?
 *
 * Only such code may be named by a perf map or a jitdump.  Whoever runs a program writes those
 * files, so they must not give names to what is in a file on disk.
 */
#ifndef KFLAME_PROFILE_JIT_CODE_H
#define KFLAME_PROFILE_JIT_CODE_H

#include <stdbool.h>

#include "profile/profile.h"

/**
 * made_code_is() - may a compiler have made the code in a mapping?
 * @p:		the profile
 * @m:		a mapping of it; NULL where none was seen
 *
 * True for memory that no file on disk is behind: anonymous memory, the heap, the stack, memfd,
 * shared anonymous memory, /dev/zero, huge pages, shared memory of System V and POSIX.  True
 * where no mapping was seen: the process made it after the module had looked.
 */
bool made_code_is(const struct profile *p, const struct profile_mapping *m);

#endif
