/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mini_debug.h - MiniDebugInfo: a compressed symbol table inside a stripped file
 *
 * The section .gnu_debugdata holds an ELF file in the xz format, with symbols that .dynsym does not have.
 * https://sourceware.org/gdb/current/onlinedocs/gdb.html/MiniDebugInfo.html
 */
#ifndef KFLAME_ELF_MINI_DEBUG_H
#define KFLAME_ELF_MINI_DEBUG_H

#include <libelf.h>

/**
 * mini_debug_open() - decompress the MiniDebugInfo of a file
 * @elf:	the file
 * @image:	gets the decompressed bytes, to be freed after elf_end(); NULL if there are none
 *
 * At most 64 MiB are decompressed, whatever the file claims.
 *
 * Return: for elf_end(); NULL if there is no MiniDebugInfo, or it is damaged.
 */
Elf *mini_debug_open(Elf *elf, void **image);

#endif
