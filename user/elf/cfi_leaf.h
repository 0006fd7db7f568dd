/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_leaf.h - look up one address in the unwind information of a file
 */
#ifndef KFLAME_ELF_CFI_LEAF_H
#define KFLAME_ELF_CFI_LEAF_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct cfi;

/**
 * cfi_create() - read the .eh_frame and .debug_frame of a file
 * @elf:	must outlive the result
 *
 * Return: NULL if the file has neither, is not a supported file, or memory runs out.
 */
struct cfi *cfi_create(Elf *elf);

/** cfi_destroy() - free it; accepts NULL */
void cfi_destroy(struct cfi *c);

/**
 * cfi_leaf() - is the return address where a leaf function without a frame has it?
 * @c:		may be NULL: then the answer is false
 * @address:	address of the instruction in the file
 *
 * This is known of 64-bit files only.  x86-64: the return address is the word at the stack pointer.  arm64: it
 * is still in the link register.
 *
 * Return: whether the unwind information says so.
 */
bool cfi_leaf(const struct cfi *c, uint64_t address);

/**
 * cfi_function() - find the function around an address, for code without symbols
 * @c:		may be NULL: then the answer is false
 * @start:	address of its first byte in the file
 * @end:	address after its last byte
 *
 * Compilers write one unwind entry for a function.  They write two if they move a rarely used part of the
 * function elsewhere.
 *
 * Return: whether there is an entry for the address.
 */
bool cfi_function(const struct cfi *c, uint64_t address, uint64_t *start, uint64_t *end);

/**
 * cfi_limit() - how far a function of unknown size can extend
 * @c:		may be NULL: then there is no limit
 * @address:	where the function begins
 *
 * Return: the first address after @address at which an entry begins, or the entry around @address ends;
 * UINT64_MAX if there is none.
 */
uint64_t cfi_limit(const struct cfi *c, uint64_t address);

#endif
