/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the names of kernel functions
 */
#ifndef KFLAME_SYMBOLS_KALLSYMS_H
#define KFLAME_SYMBOLS_KALLSYMS_H

#include <stdint.h>
#include <stdio.h>

struct kernel_symbols;

/**
 * kernel_symbols_load() - reads /proc/kallsyms, modules included
 * @device:	descriptor of /dev/kflame: asked address by address where
 *		/proc/kallsyms is not there, hides them (kptr_restrict) or does not tell
 *		where a function ends; -1 for none
 * @out:	to be freed with kernel_symbols_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_symbols_load(int device, struct kernel_symbols **out);

/**
 * kernel_symbols_parse() - reads them from the text of a kallsyms file
 * @in:		read to its end
 */
int kernel_symbols_parse(FILE *in, int device, struct kernel_symbols **out);

/** kernel_symbols_destroy() - frees it; takes NULL */
void kernel_symbols_destroy(struct kernel_symbols *k);

/**
 * kernel_symbols_stext() - where the kernel's text begins: its own symbol for that, _stext
 *
 * Return: 0 where /proc/kallsyms does not tell it.
 */
uint64_t kernel_symbols_stext(const struct kernel_symbols *k);

/**
 * kernel_symbols_find() - the function at an address
 * @start:	gets its first address
 * @end:	gets one past the last: kallsyms tells no sizes, so a function ends
 *		where the next symbol begins; for the last one of a module the device
 *		is asked, and without one it is not taken for longer than any is
 *
 * Return: "name" or "name [module]", valid until the next call; NULL for none.
 */
const char *kernel_symbols_find(struct kernel_symbols *k, uint64_t address, uint64_t *start,
				uint64_t *end);

#endif
