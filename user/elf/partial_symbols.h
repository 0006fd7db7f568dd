/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partial_symbols.h - does .symtab lack functions that .dynsym has?
 */
#ifndef KFLAME_ELF_PARTIAL_SYMBOLS_H
#define KFLAME_ELF_PARTIAL_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>

/**
 * elf_symbols_partial() - Return: whether .symtab lacks functions that .dynsym has ("strip -K")
 *
 * A debug file may have them then.  Where headers alone say so (elf_summary_symbols_elsewhere()), the tool has looked for
 * one already.  This function reads the symbol tables: for a sandbox.
 */
bool elf_symbols_partial(Elf *elf);

#endif
