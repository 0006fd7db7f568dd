/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - turn mangled symbol names into readable ones
 */
#ifndef KFLAME_ELF_DEMANGLE_H
#define KFLAME_ELF_DEMANGLE_H

#include <stdbool.h>

/**
 * demangle() - make a readable name
 * @name:	name in the symbol table: C, C++, Rust (legacy and v0) or D
 *
 * A symbol version ("memcpy@@GLIBC_2.14") is removed.  A compiler's suffix (".cold", ".isra.0") and "@plt"
 * stay.
 *
 * Return: a new string, to be freed; NULL if memory runs out.
 */
char *demangle(const char *name);

/** demangle_wanted() - Return: whether a name looks mangled and is short enough to demangle */
bool demangle_wanted(const char *name);

/**
 * demangle_version() - remove a symbol version: "read@@GLIBC_2.2.5" becomes "read"; "read@plt" stays
 *
 * Return: a new string, to be freed; NULL if memory runs out.
 */
char *demangle_version(const char *name);

#endif
