/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interpreter_find.h - find an interpreter of programs in a file, and describe it for the module
 *
 * What is recognised: cpython_find.h and perl_find.h. A file with an interpreter exports the interpreter's loop. The
 * compiler may have split the loop: gcc puts what is rarely run in another place. That part has no symbol in a stripped
 * file, but it has unwind information, and only the loop jumps into the middle of it.
 */
#ifndef KFLAME_ELF_INTERPRETER_FIND_H
#define KFLAME_ELF_INTERPRETER_FIND_H

#include <stdbool.h>

#include "sandbox/sandbox.h"
#include "uapi/kflame.h"

/** interpreter_likely() - Return: may the file have an interpreter? Reads headers and names, without libelf */
bool interpreter_likely(int fd);

/**
 * interpreter_find() - describe the interpreter in a file; runs in a sandbox or in a test
 * @out:	all but .file
 *
 * Return: 0; -ENOENT if there is none that is known; -ENOMEM.
 */
int interpreter_find(int fd, struct kflame_interpreter *out);

/**
 * interpreter_ask() - let a sandbox do interpreter_find(), with the rights of the file's owner
 *
 * Return: as interpreter_find(); also -ETIMEDOUT, -EIO or another negative errno if the sandbox failed. The
 * module checks the description.
 */
int interpreter_ask(int fd, struct kflame_interpreter *out);

/** interpreter_work - for sandbox_main() */
extern const struct sandbox_work interpreter_work;

#endif
