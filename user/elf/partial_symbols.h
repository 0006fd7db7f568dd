/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partial_symbols.h - has a file all its symbols?
 */
#ifndef KFLAME_ELF_PARTIAL_SYMBOLS_H
#define KFLAME_ELF_PARTIAL_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>

/**
 * elf_symbols_partial() - Return: whether there may be more symbols elsewhere: a debug file, MiniDebugInfo
 *
 * As elf_summary_symbols_elsewhere(), and true for a file whose .symtab lacks functions that .dynsym has
 * ("strip -K").  Reads the symbol tables: for a sandbox.
 */
bool elf_symbols_partial(Elf *elf);

#endif
