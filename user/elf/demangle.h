/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - symbol table names as people write them
 */
#ifndef KFLAME_ELF_DEMANGLE_H
#define KFLAME_ELF_DEMANGLE_H

#include <stdbool.h>

/**
 * demangle() - how a name is shown
 * @name:	as the symbol table has it: C, C++, Rust (legacy and v0) or D
 *
 * A symbol version ("memcpy@@GLIBC_2.14") goes; a compiler's suffix (".cold",
 * ".isra.0") and "@plt" stay.
 *
 * Return: a string of its own, to be freed; NULL without memory.
 */
char *demangle(const char *name);

/** demangle_wanted() - Return: whether a name looks mangled, and is not too long to try */
bool demangle_wanted(const char *name);

/**
 * demangle_version() - remove a symbol version: "read@@GLIBC_2.2.5" becomes "read"; "read@plt" stays
 *
 * Return: to be freed; NULL without memory.
 */
char *demangle_version(const char *name);

#endif
