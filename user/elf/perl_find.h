/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl_find.h - find Perl in a file, and describe it for the module
 *
 * Recognised are Perl 5.28 to 5.42 for x86-64, with and without threads: the program, or the library that other
 * programs embed. The file exports its version, its loop and its data. Perl with threads needs the GNU C library, whose
 * thread specific data leads to the interpreter of a thread.
 */
#ifndef KFLAME_ELF_PERL_FIND_H
#define KFLAME_ELF_PERL_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/interpreter_file.h"

/* Each file with Perl has this dynamic symbol: its loop */
#define PERL_SYMBOL	"Perl_runops_standard"

/** perl_find() - describe the Perl in a file, all but .file.  Return: 0; -ENOENT if there is none; -ENOMEM */
int perl_find(const struct interpreter_file *f, struct kflame_interpreter *out);

/**
 * perl_offsets() - the offsets of a version with threads
 * @version:	its second number: 36 of 5.36
 * @at:		gets KFLAME_PL_NR offsets
 *
 * Return: whether the version is known
 */
bool perl_offsets(unsigned int version, uint32_t *at);

#endif
