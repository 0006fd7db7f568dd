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
 * If so, a debug file may have them.  The tool has already looked for a debug file if the headers alone
 * suggest one (elf_summary_symbols_elsewhere()).  This function reads the symbol tables, so it runs in a
 * sandbox.
 */
bool elf_symbols_partial(Elf *elf);

#endif
