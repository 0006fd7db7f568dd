/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - symbol table names as people write them
 */
#ifndef KFLAME_DEMANGLE_H
#define KFLAME_DEMANGLE_H

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

#endif
