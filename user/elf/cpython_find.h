/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpython_find.h - find and describe CPython in a file
 *
 * Recognised are CPython 3.9 to 3.14 for x86-64 with the GNU C library: the program, or the library that other programs
 * embed. The file exports the interpreter's data, its loop, and from 3.11 on its version. The compiler may have split
 * the loop: gcc puts what is rarely run in another place. That part has no symbol in a stripped file, but it has unwind
 * information, and only the loop jumps into the middle of it.
 *
 * From 3.13 on the data begins with the offsets of members, also for builds without the lock. Offsets of the versions
 * before are those of release builds.
 */
#ifndef KFLAME_ELF_CPYTHON_FIND_H
#define KFLAME_ELF_CPYTHON_FIND_H

#include <stdbool.h>

#include "elf/interpreter_file.h"

#define CPYTHON_SYMBOL	"_PyEval_EvalFrameDefault"	/* each file with CPython has this dynamic symbol */

/** cpython_find() - Return: 0; -ENOENT if the file has none that is known; -ENOMEM */
int cpython_find(const struct interpreter_file *f, struct kflame_interpreter *out);

/**
 * cpython_offsets() - the offsets of a version
 * @version:	its two numbers, as 0x030b
 * @debug:	the first words of the interpreter's data
 * @nr:		words of @debug
 * @at:		gets KFLAME_PY_NR_ANY offsets, all but KFLAME_PY_KEY
 *
 * Return: whether the version is known, and the offsets are sane
 */
bool cpython_offsets(uint32_t version, const uint64_t *debug, size_t nr, uint32_t *at);

/**
 * cpython_key() - find the key of the thread's state in the code of PyGILState_GetThisThreadState()
 * @code:	the function
 * @at:		its address
 * @data:	address of the interpreter's data
 * @bytes:	size of that data
 *
 * Return: for KFLAME_PY_KEY; 0 if the code does not say
 */
uint32_t cpython_key(const unsigned char *code, size_t len, uint64_t at, uint64_t data, uint64_t bytes);

#endif
