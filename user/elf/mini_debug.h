/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mini_debug.h - MiniDebugInfo: a file's symbol table, compressed, in the file itself
 *
 * The section .gnu_debugdata holds an ELF file in the xz format, with the symbols that
 * .dynsym has not.  https://sourceware.org/gdb/current/onlinedocs/gdb.html/MiniDebugInfo.html
 */
#ifndef KFLAME_ELF_MINI_DEBUG_H
#define KFLAME_ELF_MINI_DEBUG_H

#include <libelf.h>

/**
 * mini_debug_open() - unpacks it
 * @elf:	the file
 * @image:	gets what it was unpacked to, to be freed after elf_end(); NULL for none
 *
 * No more than 64 MiB are unpacked, whatever the file says.
 *
 * Return: for elf_end(); NULL where there is none, or it is damaged.
 */
Elf *mini_debug_open(Elf *elf, void **image);

#endif
