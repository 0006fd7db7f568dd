/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpython_find.h - find CPython in a file, and describe it for the module
 *
 * Recognised is CPython 3.11 for x86-64 with the GNU C library: the program, or the library that other programs
 * embed. The file exports its version, its data and its loop.
 */
#ifndef KFLAME_ELF_CPYTHON_FIND_H
#define KFLAME_ELF_CPYTHON_FIND_H

#include "elf/interpreter_file.h"

/* Each file with CPython has this dynamic symbol: its loop */
#define CPYTHON_SYMBOL	"_PyEval_EvalFrameDefault"

/** cpython_find() - describe the CPython in a file, all but .file.  Return: 0; -ENOENT if there is none; -ENOMEM */
int cpython_find(const struct interpreter_file *f, struct kflame_interpreter *out);

#endif
