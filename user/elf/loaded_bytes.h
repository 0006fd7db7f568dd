/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loaded_bytes.h - what an untrusted ELF file has at an address, by its program headers
 *
 * These need no section headers, which a file may lack (sstrip).
 */
#ifndef KFLAME_ELF_LOADED_BYTES_H
#define KFLAME_ELF_LOADED_BYTES_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/** loaded_header() - get the first program header of a type.  Return: whether there is one */
bool loaded_header(Elf *elf, uint32_t type, GElf_Phdr *ph);

/**
 * loaded_room() - find an address in the file
 * @at:		gets its file offset, if there is one
 *
 * Return: how many bytes from the address on the file has in one PT_LOAD; 0 if it has none.
 */
uint64_t loaded_room(Elf *elf, uint64_t address, int64_t *at);

/** loaded_bytes() - Return: the bytes at an address, in memory of the Elf; NULL if the file has not all of them */
Elf_Data *loaded_bytes(Elf *elf, uint64_t address, uint64_t bytes, Elf_Type type);

/** loaded_code() - get the address of a file offset.  Return: whether an executable PT_LOAD has it */
bool loaded_code(Elf *elf, uint64_t offset, uint64_t *address);

#endif
