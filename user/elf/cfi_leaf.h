/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_leaf.h - what a file's unwind information says about one address
 */
#ifndef KFLAME_ELF_CFI_LEAF_H
#define KFLAME_ELF_CFI_LEAF_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct cfi;

/**
 * cfi_create() - reads a file's .eh_frame, and .debug_frame where it has one
 * @elf:	must outlive it
 *
 * Return: NULL where it has neither, or without memory.
 */
struct cfi *cfi_create(Elf *elf);

/** cfi_destroy() - frees it; takes NULL */
void cfi_destroy(struct cfi *c);

/**
 * cfi_leaf() - is the return address where a leaf without a frame has it?
 * @c:		NULL knows nothing
 * @address:	of the instruction, as the file counts
 *
 * x86-64: it is the word at the stack pointer.  arm64: it is in the link
 * register still.
 *
 * Return: whether the unwind information says so.
 */
bool cfi_leaf(const struct cfi *c, uint64_t address);

/**
 * cfi_function() - the function around an address, for code without symbols
 * @c:		NULL knows nothing
 * @start:	its first byte, an address as the file counts
 * @end:	one past the last
 *
 * Compilers write one entry of unwind information a function, or two, where a part of it that
 * is seldom run is elsewhere.
 *
 * Return: whether there is an entry for that address.
 */
bool cfi_function(const struct cfi *c, uint64_t address, uint64_t *start, uint64_t *end);

/**
 * cfi_limit() - how far a function can go that begins at an address, and of which no size is known
 * @c:		NULL knows nothing
 *
 * Return: the first address behind @address at which an entry begins, or the one around @address
 * ends; UINT64_MAX: there is none.
 */
uint64_t cfi_limit(const struct cfi *c, uint64_t address);

#endif
